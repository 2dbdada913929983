// A socket that comes back: after a break it says hello again and gets the whole state anew.

import { translated } from "./strings/phrases.js";
import { t } from "./strings/texts.js";

const FOR_GOOD = new Set([1008, 4403, 4404, 4405, 4409]);

export class Connection {
  constructor(path, hello, on) {
    this.path = path;
    this.hello = hello;
    this.on = on;
    this.failures = 0;
    this.open();
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => document.hidden || this.retry());
  }

  open() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${this.path}`);
    this.socket.onopen = () => this.socket.send(JSON.stringify(this.hello));
    this.socket.onmessage = (event) => {
      this.failures = 0;
      this.on.online(true);
      const message = translated(JSON.parse(event.data));
      if (message.type === "state") this.on.state(message);
      else if (message.type === "refused") this.on.refused(message.text);
    };
    this.socket.onclose = (event) => {
      if (FOR_GOOD.has(event.code)) {
        this.on.gone(event.code);
        return;
      }
      this.on.online(false, t("error.lost"));
      const wait = Math.min(200 * 2 ** this.failures++, 5000);
      this.timer = setTimeout(() => this.open(), wait);
    };
  }

  // Does not wait out the time until the next attempt.
  retry() {
    if (this.socket.readyState !== WebSocket.CLOSED || !this.timer) return;
    clearTimeout(this.timer);
    this.open();
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.on.refused(t("error.not_connected"));
  }
}
