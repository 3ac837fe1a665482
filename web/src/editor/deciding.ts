/** Highlighting of the deciding line, and less of the others that matter: the runner-up, or the rest of a change. */

import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutterLineClass, GutterMarker } from "@codemirror/view";
import { RangeSet } from "@codemirror/state";

export interface Lit {
  line: number;
  allowed: boolean;
  others: number[];
}

export const light = StateEffect.define<Lit | null>();

const decorations = {
  allow: Decoration.line({ class: "decides decides-allow" }),
  block: Decoration.line({ class: "decides decides-block" }),
  other: Decoration.line({ class: "runner-up" }),
};

class Mark extends GutterMarker {
  constructor(override readonly elementClass: string) {
    super();
  }
}

const marks = {
  allow: new Mark("decides-gutter decides-allow"),
  block: new Mark("decides-gutter decides-block"),
  other: new Mark("runner-up-gutter"),
};

interface Lights {
  lines: DecorationSet;
  gutter: RangeSet<GutterMarker>;
}

const dark: Lights = { lines: Decoration.none, gutter: RangeSet.empty };

const field = StateField.define<Lights>({
  create: () => dark,
  update(lights, transaction) {
    let { lines, gutter } = lights;
    if (transaction.docChanged) {
      lines = lines.map(transaction.changes);
      gutter = gutter.map(transaction.changes);
    }
    for (const effect of transaction.effects) {
      if (!effect.is(light)) continue;
      const { doc } = transaction.state;
      const found = effect.value;
      const of = (number: number): number | null =>
        number >= 1 && number <= doc.lines ? doc.line(number).from : null;
      const wanted: [number, "allow" | "block" | "other"][] = [];
      const first = found ? of(found.line) : null;
      if (found && first !== null) wanted.push([first, found.allowed ? "allow" : "block"]);
      for (const line of found?.others ?? []) {
        const other = of(line);
        if (other !== null && other !== first) wanted.push([other, "other"]);
      }
      const ranges: Range<Decoration>[] = wanted.map(([at, kind]) => decorations[kind].range(at));
      lines = Decoration.set(ranges, true);
      gutter = RangeSet.of(
        wanted.map(([at, kind]) => marks[kind].range(at)),
        true,
      );
    }
    return lines === lights.lines && gutter === lights.gutter ? lights : { lines, gutter };
  },
  provide: (lights) => [
    EditorView.decorations.from(lights, ({ lines }) => lines),
    gutterLineClass.from(lights, ({ gutter }) => gutter),
  ],
});

export const deciding: Extension = field;
