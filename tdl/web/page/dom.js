// Elements of the page, and numbers as it shows them.

export const $ = (id) => document.getElementById(id);

export function create(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const number = (value) => value.toLocaleString("en");

export const amount = (value) => value.toLocaleString("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
