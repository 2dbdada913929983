// Small helpers for making and filling elements; text is only ever set as text, never as HTML.

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (/^aria[A-Z]/.test(name)) element.setAttribute(`aria-${name.slice(4).toLowerCase()}`, value);
    else if (name === "role") element.setAttribute("role", value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === "";
}

// Brings the children of a list in line with items, keeping the elements of items that stay: focus stays with them.
export function reconcile(parent, items, keyOf, create, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf(item, index));
    const element = old.get(key) ?? create(item);
    old.delete(key);
    element.dataset.key = key;
    update(element, item, index);
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  });
  for (const element of old.values()) element.remove();
}

let noticeTimer;

export function notice(text) {
  const box = $("notice");
  box.textContent = text;
  box.hidden = text === "";
  clearTimeout(noticeTimer);
  if (text && box.classList.contains("banner")) noticeTimer = setTimeout(() => notice(""), 6000);
}
