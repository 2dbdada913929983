// The texts of the pages in the person's language. There is one file a language; English is complete, others may be drafts.

const load = async (path) => (await fetch(path)).json();

export const languages = await load("/languages");
export const language = chosenLanguage();
const texts = await load(`/languages/${language}`);
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

// What the person chose before; else the first that the browser asks for; else English.
function chosenLanguage() {
  const offered = languages.map(({ code }) => code);
  const asked = navigator.languages.map((each) => each.split("-")[0]);
  return [localStorage.getItem("language"), ...asked].find((code) => offered.includes(code)) ?? "en";
}

export function chooseLanguage(code) {
  localStorage.setItem("language", code);
  location.reload();
}

export const has = (key) => key in texts;

// The text of a key with its arguments: {name} stands for values.name. One of several forms goes by values.form, or by
// the plural form of values.number.
export function t(key, values = {}) {
  const entry = texts[key];
  const form = typeof entry === "string" ? entry : entry[values.form ?? plurals.select(values.number)] ?? entry.other;
  return form.replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

const shown = (value) => (typeof value === "number" ? numbers.format(value) : String(value));

export function percent(share, digits = 0) {
  const form = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, form).format(share);
}

export const listed = (parts) => new Intl.ListFormat(language, { type: "conjunction" }).format(parts);

export const capital = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

export const sentence = (text) => capital(text) + (/[.!?।]$/.test(text) ? "" : t("full_stop"));

// Fills the elements of a page that name a text: as content, as label for the ear, or as an example in a field.
export function fillPage() {
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
