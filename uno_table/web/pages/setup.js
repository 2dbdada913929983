// Setting up a table: who sits there, by which rules.

import { hostKey, request } from "./api.js";
import { $, make, notice } from "./dom.js";
import { fillLanguages, fillPage, listed, t } from "./strings/texts.js";

const MOST_SEATS = 10;
const bearer = hostKey();
let form = null;

async function begin() {
  fillPage();
  fillLanguages($("language"));
  for (const option of document.querySelectorAll("[data-seconds]")) {
    option.textContent = t("time.seconds", { number: Number(option.dataset.seconds) });
  }
  try {
    form = await request("/api/form", { bearer });
  } catch (error) {
    notice(error.message);
    $("unlock").hidden = error.status !== 403;
    return;
  }
  const presets = Object.keys(form.presets).map((value) => make("option", { value }, form.titles[value]));
  $("preset").append(make("option", { value: "", hidden: true, disabled: true }, t("rules.own")), ...presets);
  const [house, ...others] = form.groups;
  $("house").append(group(house));
  $("groups").append(...others.map(group));
  $("name").value = localStorage.getItem("name") ?? t("player", { number: 1 });
  const { defaults } = form;
  const kept = keptTable();
  (kept?.seats.slice(1) ?? defaults.agents).forEach((spec) => addSeat(spec ?? PERSON));
  $("adviser-place").append(...agentFields(kept?.adviser ?? defaults.agents[0], "adviser"));
  const { preset, ...changes } = kept?.rules ?? { preset: defaults.preset, ...defaults.rules };
  setRules({ ...form.presets[preset], ...changes });
  if (kept) setOptions(kept);
  if (defaults.seed !== null) $("seed").value = defaults.seed;
  $("preset").onchange = () => setRules(form.presets[$("preset").value]);
  $("house").onchange = $("groups").onchange = checkRules;
  inputOf("edition").addEventListener("change", () => setRules(form.presets[form.editions[inputOf("edition").value]]));
  $("add").onclick = () => {
    addSeat(defaults.agents.at(-1));
    $("seats").lastChild.querySelector("select").focus();
  };
  $("form").onsubmit = (event) => {
    event.preventDefault();
    deal(tableOfForm());
  };
  $("levels").append(...form.levels.map(levelChoice));
  $("quick").onsubmit = (event) => {
    event.preventDefault();
    const { table, others } = chosenLevel();
    deal(others[event.submitter?.value] ?? table);
  };
  $("quick").hidden = $("more").hidden = $("own-hands").hidden = false;
  $("more").open = Boolean(kept) || defaults.agents.join() !== "zoo"; // the command named somebody: the form says whom
  $("form").addEventListener("change", keepTable);
  checkRules();
}

$("unlock").onsubmit = (event) => {
  event.preventDefault();
  const text = $("key").value.trim();
  location.hash = `key=${text.split("key=").pop()}`;
  location.reload();
};

// --- Play now

function levelChoice({ title, about, people: everybody, table: { level, seats } }, index) {
  const people = everybody.slice(0, seats.length - 1);
  const chosen = (localStorage.getItem("level") ?? form.levels[1].table.level) === level;
  const input = make("input", { type: "radio", name: "level", id: `level-${level}`, value: index, checked: chosen });
  input.setAttribute("aria-describedby", `about-${level}`);
  const faces = people.map((person) => make("img", { src: `/faces/${person}.svg`, alt: "" }));
  const { hands, won } = JSON.parse(localStorage.getItem("record") ?? "{}")[level] ?? {};
  const score = hands ? ` ${t("level.record", { won, number: hands })}` : "";
  const names = t("level.people", { people: listed(people) });
  const text = make("span", { class: "help", id: `about-${level}` }, `${names} ${about}${score}`);
  return make("label", { class: "level" }, input, make("b", {}, title),
    make("span", { class: "faces" }, ...faces), text);
}

const chosenLevel = () => form.levels[document.querySelector("[name=level]:checked").value];

// --- agents and seats

const PERSON = "person";
const OTHER = "other";

const levelOf = (spec) => form.levels.find((each) => each.agent === spec);

// A list of the levels and of all other agents, a field for any other one, and a line on what the chosen one is.
function agentFields(spec, id, first = []) {
  const known = spec === PERSON || levelOf(spec) || form.agents.some((each) => each.spec === spec);
  const levels = form.levels.map((each) => make("option", { value: each.agent }, each.title));
  const others = form.agents.map((each) => make("option", { value: each.spec }, each.name));
  const more = make("optgroup", { label: t("agent.more") }, ...others, make("option", { value: OTHER }, t("agent.other")));
  const list = make("select", { id }, ...first, ...levels, more);
  const typed = make("input", { value: known ? "" : spec, placeholder: t("agent.example", { spec: "search:flat" }), ariaLabel: t("agent") });
  const line = make("span", { class: "help" });
  list.value = known ? spec : OTHER;
  list.onchange = () => {
    typed.hidden = typed.disabled = list.value !== OTHER;
    typed.required = !typed.hidden;
    const about = list.value === PERSON ? t("agent.person.about")
      : (levelOf(list.value) ?? form.agents.find((each) => each.spec === list.value))?.about
      ?? t("agent.path", { command: "uno agents" });
    const fits = !list.selectedOptions[0]?.disabled;
    line.textContent = fits ? about : t("agent.does_not_fit");
    line.classList.toggle("wrong", !fits);
    showPeople();
  };
  list.onchange();
  return [list, typed, line];
}

const agentOf = (place) => {
  const value = place.querySelector("select").value;
  return value === PERSON ? null : value === OTHER ? place.querySelector("input").value.trim() : value;
};

function addSeat(spec) {
  const person = make("option", { value: PERSON }, t("agent.person"));
  const remove = make("button", { type: "button", onclick: () => { row.remove(); countSeats(); } }, t("seat.remove"));
  const who = make("span", { class: "who" });
  const row = make("li", { class: "seat" }, who, ...agentFields(spec, "", [person]), remove);
  $("seats").append(row);
  countSeats();
}

// The people of the levels sit down in their order, as the server seats them.
function showPeople() {
  const left = new Map(form.levels.map((each) => [each.agent, [...each.people]]));
  for (const row of $("seats").children) {
    const person = left.get(row.querySelector("select").value)?.shift();
    const face = person ? [make("img", { src: `/faces/${person}.svg`, alt: "" }), person] : [];
    row.querySelector(".who").replaceChildren(...face);
  }
}

function countSeats() {
  const rows = [...$("seats").children];
  $("add").disabled = rows.length >= MOST_SEATS - 1;
  rows.forEach((row, place) => {
    const remove = row.querySelector("button");
    remove.disabled = rows.length < 2;
    const seat = { number: place + 2 };
    row.dataset.seat = t("seat", seat);
    remove.setAttribute("aria-label", t("seat.remove_number", seat));
    row.querySelector("select").setAttribute("aria-label", t("seat.who", seat));
    row.querySelector("input").setAttribute("aria-label", t("seat.agent", seat));
  });
  showPeople();
  if ($("more").hidden) return; // the form is being filled
  checkRules();
  keepTable();
}

const seats = () => [null, ...[...$("seats").children].map(agentOf)];

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
    return make("select", { id }, ...each.values.map((value, index) => make("option", { value }, each.words[index])));
  }
  if (each.kind === "flag") return make("input", { id, type: "checkbox" });
  if (each.kind === "number") return make("input", { id, type: "number", min: each.low, max: each.high, required: true });
  return make("input", { id, type: "text" });
}

const allFields = () => form.groups.flatMap((each) => each.fields);

function setRules(values) {
  for (const each of allFields()) {
    const input = inputOf(each.name);
    if (each.kind === "flag") input.checked = values[each.name];
    else input.value = values[each.name];
  }
  if (!$("more").hidden) checkRules();
}

function valueOf(each) {
  const input = inputOf(each.name);
  if (each.kind === "flag") return input.checked;
  if (each.kind === "choice") return each.values[input.selectedIndex];
  if (each.kind === "number") return Number(input.value);
  if (each.name === "reflexes") return input.value.split(/[\s,]+/).filter(Boolean).map(Number);
  return input.value;
}

const changesOf = (preset) => allFields().filter((each) =>
  JSON.stringify(valueOf(each)) !== JSON.stringify(presetValue(preset, each)));

// The preset that is nearest, and what differs from it.
function rules() {
  const names = Object.keys(form.presets);
  const counts = names.map((name) => changesOf(name).length);
  const preset = names[counts.indexOf(Math.min(...counts))];
  return { preset, ...Object.fromEntries(changesOf(preset).map((each) => [each.name, valueOf(each)])) };
}

function presetValue(preset, each) {
  const value = form.presets[preset][each.name];
  return each.name === "reflexes" ? value.split(" ").filter(Boolean).map(Number) : value;
}

let checks = 0;

async function checkRules() {
  const values = rules();
  const changed = Object.keys(values).length - 1;
  $("preset").value = changed ? "" : values.preset;
  $("preset").options[0].textContent = changed ? t("rules.preset_changed", { preset: form.titles[values.preset], number: changed }) : "";
  $("preset").options[0].hidden = !changed;
  const elsewhere = form.groups[0].fields.map((each) => each.name);
  const folded = Object.keys(values).filter((name) => name !== "preset" && !elsewhere.includes(name)).length;
  $("changes").textContent = folded ? t("rules.changed", { number: folded }) : "";
  $("changes").hidden = !folded;
  const check = ++checks;
  const players = seats().length;
  for (const option of [...$("preset").options].slice(1)) {
    option.hidden = option.disabled = ![null, players].includes(form.players[option.value]);
  }
  let error = "";
  let fitting = null;
  try {
    fitting = (await request("/api/rules", { bearer, body: { rules: values, players } })).agents;
  } catch (refusal) {
    error = refusal.message;
  }
  if (check !== checks) return;
  $("rules-error").textContent = error;
  $("rules-error").hidden = !error;
  if (fitting) offerAgents(fitting);
}

// Only agents that play by the rules are offered; where another one is chosen, its line says so.
function offerAgents(fitting) {
  for (const list of document.querySelectorAll("#seats select, #adviser")) {
    for (const option of list.options) {
      option.hidden = option.disabled = ![PERSON, OTHER, ...fitting].includes(option.value);
    }
    list.onchange();
  }
}

// --- dealing

function tableOfForm() {
  return {
    seats: seats(),
    rules: rules(),
    match: $("match").checked,
    hints: $("hints").checked,
    adviser: agentOf($("adviser-place")) || "zoo",
    cast: true,
    secret_seconds: Number($("secret").value),
    reaction_seconds: Number($("reaction").value),
    turn_seconds: Number($("turn").value),
    pace: Number($("pace").value),
    ...($("seed").value ? { seed: Number($("seed").value) } : {}),
  };
}

// What was chosen under "More", which the browser keeps until the server is started with other seats or rules.
function keepTable() {
  const { seed, ...table } = tableOfForm();
  localStorage.setItem("more", JSON.stringify({ defaults: form.defaults, table }));
}

function keptTable() {
  const { defaults, table } = JSON.parse(localStorage.getItem("more") ?? "{}");
  const fits = JSON.stringify(defaults) === JSON.stringify(form.defaults) && table.rules.preset in form.presets;
  return fits ? table : null;
}

function setOptions(table) {
  $("match").checked = table.match;
  $("hints").checked = table.hints;
  $("secret").value = table.secret_seconds;
  $("reaction").value = table.reaction_seconds;
  $("turn").value = table.turn_seconds;
  $("pace").value = table.pace;
}

async function deal(table) {
  if (!$("name").reportValidity()) return;
  const body = { name: $("name").value, ...table };
  const buttons = document.querySelectorAll("button.big");
  for (const button of buttons) button.disabled = true;
  $("dealing").hidden = false;
  notice("");
  try {
    const { table: id, token } = await request("/api/tables", { bearer, body });
    localStorage.setItem("name", body.name);
    if (body.level) localStorage.setItem("level", body.level);
    location.href = `/table/${id}#seat=${token}`;
  } catch (error) {
    notice(error.message);
    $("notice").scrollIntoView();
    for (const button of buttons) button.disabled = false;
    $("dealing").hidden = true;
  }
}

begin();
