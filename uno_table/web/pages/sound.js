// Short tones for what happens; off until somebody switches them on.

import { $ } from "./dom.js";

const TONES = {
  lay: [[330, 0.06]], draw: [[220, 0.06]], uno: [[660, 0.1], [880, 0.16]], turn: [[520, 0.09]],
  won: [[523, 0.1], [659, 0.1], [784, 0.2]], over: [[392, 0.12], [330, 0.2]],
};
let audio = null;

const isOn = () => $("sound").getAttribute("aria-pressed") === "true";

export function play(name) {
  if (!isOn()) return;
  audio ??= new AudioContext();
  let at = audio.currentTime;
  for (const [pitch, seconds] of TONES[name]) {
    const tone = new OscillatorNode(audio, { frequency: pitch, type: "triangle" });
    const volume = new GainNode(audio, { gain: 0.12 });
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds;
  }
}

function set(on) {
  $("sound").setAttribute("aria-pressed", String(on));
  localStorage.setItem("sound", on ? "on" : "off");
}

set(localStorage.getItem("sound") === "on");
$("sound").onclick = () => {
  set(!isOn());
  play("turn");
};
