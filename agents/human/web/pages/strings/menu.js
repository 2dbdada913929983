// The choice of a language, which the browser remembers.

import { make } from "../dom.js";
import { chooseLanguage, language, languages, t } from "./texts.js";

export function fillMenu(select) {
  select.replaceChildren(...languages.map(({ code, name, draft }) =>
    make("option", { value: code, lang: code }, draft ? t("language.draft", { name }) : name)));
  select.value = language;
  select.onchange = () => chooseLanguage(select.value);
}
