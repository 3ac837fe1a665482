/** Sentences with elements in them, so that the table of texts has them whole, and a translation may order them freely. */

import { type ComponentChildren, h } from "preact";

/**
 * Returns a sentence as the children of an element. Its text may contain the tags `code`, `em`, `strong`, and `unseen` for
 * what only screen readers say. Values are texts or elements, and are not searched for tags: they may come from strangers.
 */
export function said(texts: TemplateStringsArray, ...values: ComponentChildren[]): ComponentChildren[] {
  const whole: ComponentChildren[] = [];
  const open = [whole];
  texts.forEach((text, nth) => {
    for (const part of text.split(/(<\/?\w+>)/)) {
      const tag = /^<(\/?)(\w+)>$/.exec(part);
      if (tag?.[1] === "/") {
        const inner = open.pop() ?? [];
        open.at(-1)?.push(tag[2] === "unseen" ? h("span", { class: "unseen" }, inner) : h(tag[2] ?? "", null, inner));
      } else if (tag) open.push([]);
      else open.at(-1)?.push(part);
    }
    open.at(-1)?.push(values[nth]);
  });
  return whole;
}
