// The texts of the table's pages, which the server has; the choice of a language, which the browser remembers.

import { fillMenu, speak, wantedLanguage } from "./translate.js";

export { capital, fillPage, listed, percent, sentence, t } from "./translate.js";

const load = async (path) => (await fetch(path)).json();

const languages = await load("/languages");
export const language = wantedLanguage(languages.map(({ code }) => code));
speak(language, await load(`/languages/${language}`));

function chooseLanguage(code) {
  localStorage.setItem("language", code);
  const address = new URL(location);
  address.searchParams.delete("lang");
  history.replaceState(null, "", address);
  location.reload();
}

export const fillLanguages = (select) => fillMenu(select, languages, chooseLanguage);

// The address of the page of a replay, which opens in the same language.
export const inLanguage = (address) => `${address}?lang=${language}`;
