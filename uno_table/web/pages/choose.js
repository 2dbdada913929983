// A dialog that asks to choose one of several actions: the colour of a wild, one card or two.

import { COLOURS, colourOfKey, declaredBy } from "./cards.js";
import { $, make } from "./dom.js";
import { colourName } from "./strings/phrases.js";

// Calls `done` with the action chosen; not at all if none is.
export function choose(title, actions, done) {
  const dialog = $("choose");
  $("choose-title").textContent = title;
  $("choices").replaceChildren(...actions.map((each) => choice(each, () => {
    dialog.close();
    done(each.action);
  })));
  dialog.onkeydown = (event) => {
    const colour = colourOfKey(event.key);
    const wanted = actions.find((each) => colour && declaredBy(each.action) === colour);
    if (wanted && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      dialog.close();
      done(wanted.action);
    }
  };
  $("choose-none").onclick = () => dialog.close();
  dialog.showModal();
}

function choice(each, act) {
  const colour = declaredBy(each.action);
  if (!colour) return make("button", { class: "choice", onclick: act }, each.name);
  const { letter, figure } = COLOURS[colour];
  return make("button", { class: `choice colour ${colour}`, onclick: act },
    make("span", { ariaHidden: "true" }, `${figure} ${letter}`), ` ${colourName(colour)}`);
}
