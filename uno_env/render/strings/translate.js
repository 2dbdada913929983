// Texts in the reader's language. The table's pages import this as a module; in the page of a replay it is part of the one
// script. There is one file a language; English is complete, others may be drafts.

let language, texts, plurals, numbers;

// From now on all is said in a language, whose texts these are.
function speak(code, entries) {
  language = code;
  texts = entries;
  plurals = new Intl.PluralRules(code);
  numbers = new Intl.NumberFormat(code);
}

// What the address asks for; else what the person chose before; else the first that the browser asks for; else English.
function wantedLanguage(offered) {
  const asked = navigator.languages.map((each) => each.split("-")[0]);
  const wanted = [new URLSearchParams(location.search).get("lang"), rememberedLanguage(), ...asked];
  return wanted.find((code) => offered.includes(code)) ?? "en";
}

function rememberedLanguage() {
  try {
    return localStorage.getItem("language");
  } catch {
    return null; // a page in a sandbox remembers nothing
  }
}

// The text of a key with its arguments: {name} stands for values.name. One of several forms goes by values.form, or by
// the plural form of values.number.
function t(key, values = {}) {
  const entry = texts[key];
  const form = typeof entry === "string" ? entry : entry[values.form ?? plurals.select(values.number)] ?? entry.other;
  return form.replace(/\{(\w+)\}/g, (_, name) => asText(values[name]));
}

const asText = (value) => (typeof value === "number" ? numbers.format(value) : String(value));

function percent(share, digits = 0) {
  const form = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, form).format(share);
}

const listed = (parts) => new Intl.ListFormat(language, { type: "conjunction" }).format(parts);

const capital = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

const sentence = (text) => capital(text) + (/[.!?।]$/.test(text) ? "" : t("full_stop"));

// Fills the elements of a page that name a text: as content, as label for the ear, or as an example in a field.
function fillPage() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
  }
  for (const element of document.querySelectorAll("[data-t-title]")) element.title = t(element.dataset.tTitle);
  for (const element of document.querySelectorAll("[data-t-example]")) {
    element.placeholder = t(element.dataset.tExample);
  }
}

// Fills the list of languages. `choose` gets the code of the one that is chosen.
function fillMenu(select, languages, choose) {
  select.replaceChildren(...languages.map(({ code, name, draft }) => {
    const option = new Option(draft ? t("language.draft", { name }) : name, code);
    option.lang = code;
    return option;
  }));
  select.value = language;
  select.onchange = () => choose(select.value);
}

export { capital, fillMenu, fillPage, listed, percent, sentence, speak, t, wantedLanguage };
