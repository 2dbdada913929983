// Setting up a table: who sits there, by which rules.

import { hostKey, request } from "./api.js";
import { $, make, notice } from "./dom.js";

const MOST_SEATS = 10;
const bearer = hostKey();
let form = null;

async function begin() {
  try {
    form = await request("/api/form", { bearer });
  } catch (error) {
    notice(error.message);
    return;
  }
  $("agents").append(...form.agents.map((value) => make("option", { value })));
  $("preset").append(...Object.keys(form.presets).map((value) => make("option", { value }, value.replaceAll("_", " "))));
  $("groups").append(...form.groups.map(group));
  $("name").value = localStorage.getItem("name") ?? "Player 1";
  const { defaults } = form;
  defaults.agents.forEach((spec) => addSeat(spec));
  $("adviser").value = defaults.agents[0];
  $("preset").value = defaults.preset;
  setRules({ ...form.presets[defaults.preset], ...defaults.rules });
  if (defaults.seed !== null) $("seed").value = defaults.seed;
  $("preset").onchange = () => setRules(form.presets[$("preset").value]);
  $("groups").onchange = checkRules;
  $("add").onclick = () => {
    addSeat("greedy");
    $("seats").lastChild.querySelector("select").focus();
  };
  $("form").onsubmit = (event) => {
    event.preventDefault();
    deal();
  };
  $("form").hidden = false;
  checkRules();
}

// --- seats

function addSeat(spec) {
  const kind = make("select", { ariaLabel: "Who sits here" },
    make("option", { value: "agent" }, "agent"), make("option", { value: "person" }, "person, by invitation"));
  const agent = make("input", { value: spec, required: true, ariaLabel: "Agent" });
  agent.setAttribute("list", "agents");
  kind.onchange = () => { agent.hidden = agent.disabled = kind.value === "person"; };
  const remove = make("button", { type: "button", onclick: () => { row.remove(); countSeats(); } }, "Remove");
  const row = make("li", { class: "seat" }, kind, agent, remove);
  $("seats").append(row);
  countSeats();
}

function countSeats() {
  const rows = [...$("seats").children];
  $("add").disabled = rows.length >= MOST_SEATS - 1;
  rows.forEach((row, place) => {
    const remove = row.querySelector("button");
    remove.disabled = rows.length < 2;
    remove.setAttribute("aria-label", `Remove seat ${place + 2}`);
    row.querySelector("select").setAttribute("aria-label", `Who sits at seat ${place + 2}`);
    row.querySelector("input").setAttribute("aria-label", `Agent at seat ${place + 2}`);
  });
  if (form && !$("form").hidden) checkRules();
}

const seats = () => [null, ...[...$("seats").children].map((row) =>
  row.querySelector("select").value === "person" ? null : row.querySelector("input").value.trim())];

// --- rules

const inputOf = (name) => $(`rule-${name}`);

function group({ title, fields }) {
  return make("fieldset", {}, make("legend", {}, title), ...fields.map(field));
}

function field(each) {
  const id = `rule-${each.name}`;
  const help = make("span", { class: "help", id: `${id}-help` }, each.help);
  const input = control(each, id);
  input.setAttribute("aria-describedby", help.id);
  const label = make("label", { htmlFor: id }, each.label);
  return each.kind === "flag"
    ? make("p", { class: "check" }, input, label, help)
    : make("p", { class: "field" }, label, input, help);
}

function control(each, id) {
  if (each.kind === "choice") {
    return make("select", { id }, ...each.values.map((value) => make("option", { value }, choiceText(value))));
  }
  if (each.kind === "flag") return make("input", { id, type: "checkbox" });
  if (each.kind === "number") return make("input", { id, type: "number", min: each.low, max: each.high, required: true });
  return make("input", { id, type: "text" });
}

const choiceText = (value) => ({ false: "off", true: "on" })[value] ?? value.replaceAll("_", " ");

const allFields = () => form.groups.flatMap((each) => each.fields);

function setRules(values) {
  for (const each of allFields()) {
    const input = inputOf(each.name);
    if (each.kind === "flag") input.checked = values[each.name];
    else input.value = values[each.name];
  }
  if (!$("form").hidden) checkRules();
}

function valueOf(each) {
  const input = inputOf(each.name);
  if (each.kind === "flag") return input.checked;
  if (each.kind === "choice") return each.values[input.selectedIndex];
  if (each.kind === "number") return Number(input.value);
  if (each.name === "reflexes") return input.value.split(/[\s,]+/).filter(Boolean).map(Number);
  return input.value;
}

function rules() {
  const preset = $("preset").value;
  const values = { preset };
  for (const each of allFields()) {
    const value = valueOf(each);
    if (JSON.stringify(value) !== JSON.stringify(presetValue(preset, each))) values[each.name] = value;
  }
  return values;
}

function presetValue(preset, each) {
  const value = form.presets[preset][each.name];
  return each.name === "reflexes" ? value.split(" ").filter(Boolean).map(Number) : value;
}

let checks = 0;

async function checkRules() {
  const values = rules();
  const changed = Object.keys(values).length - 1;
  $("changes").textContent = changed ? `${changed} changed` : "as in the preset";
  const check = ++checks;
  const error = await request("/api/rules", { bearer, body: { rules: values, players: seats().length } })
    .then(() => "", (refusal) => refusal.message);
  if (check !== checks) return;
  $("rules-error").textContent = error;
  $("rules-error").hidden = !error;
}

// --- dealing

async function deal() {
  const body = {
    name: $("name").value,
    seats: seats(),
    rules: rules(),
    match: $("match").checked,
    hints: $("hints").checked,
    adviser: $("adviser").value.trim() || "greedy",
    reaction_seconds: Number($("reaction").value),
    turn_seconds: Number($("turn").value),
    pace: Number($("pace").value),
    ...($("seed").value ? { seed: Number($("seed").value) } : {}),
  };
  $("deal").disabled = true;
  notice("");
  try {
    const { table, token } = await request("/api/tables", { bearer, body });
    localStorage.setItem("name", body.name);
    location.href = `/table/${table}#seat=${token}`;
  } catch (error) {
    notice(error.message);
    $("notice").scrollIntoView();
    $("deal").disabled = false;
  }
}

begin();
