/** The sitemaps of a site, and the pages in them that the file blocks. */

import { signal } from "@preact/signals";
import { short } from "../escape";
import { Empty, LineLink, NoFetching, Scroll, Sign, Stacked, Verdict } from "../parts/bits";
import { LiveForm } from "../parts/live-form";
import { oneCrawler } from "../parts/one-crawler";
import { draft, service, urlsTyped, view } from "../state";
import { readSitemaps, sitemaps, sitemapsText } from "../site-answers";
import { origin, siteOf, typedSite } from "../subject";
import type { SitemapRow, SitemapsAnswer } from "../types";
import { capital, FORMER, numeral, withStatusMeaning } from "../words";
import * as SITEMAPS from "../words/sitemaps";

/** The site that the user typed; null if that of the file is meant. */
const typed = signal<string | null>(null);

const wrong = signal<string | null>(null);

function read(): void {
  const site = typedSite(typed.value ?? origin.value ?? "");
  if (site === null) {
    wrong.value = SITEMAPS.wrong;
    return;
  }
  wrong.value = null;
  readSitemaps(site, oneCrawler());
}

export function SitemapsView() {
  if (service.value && !service.value.fetches) return <NoFetching what={SITEMAPS.what} />;
  return (
    <>
      <p class="lead">{SITEMAPS.lead}</p>
      <LiveForm
        id="sitemaps"
        label={SITEMAPS.site}
        placeholder={SITEMAPS.placeholder}
        typed={typed}
        suggested={origin.value ?? ""}
        button={{ idle: SITEMAPS.read, busy: SITEMAPS.reading }}
        send={read}
        wrong={wrong}
        found={sitemaps}
        outdated={sitemaps.answer.value === null ? null : outdated()}
        show={(answer) => <SitemapsResult answer={answer} />}
      >
        <Empty title={SITEMAPS.notRead}>
          <p>{SITEMAPS.notReadMore}</p>
        </Empty>
      </LiveForm>
    </>
  );
}

/** Returns what the answer is about, if that is not the text in the editor, or not what the fields name. */
function outdated(): string | null {
  if (sitemaps.isFormer.value) return FORMER.sitemaps(short(sitemaps.answer.value?.origin ?? "", 100));
  const { url = "", agent = "" } = sitemaps.asked.value ?? {};
  const isSame = typedSite(typed.value ?? origin.value ?? "") === siteOf(url) && oneCrawler() === agent;
  if (!isSame) return SITEMAPS.former(short(siteOf(url), 100), short(agent, 60));
  return sitemapsText.value?.eq(draft.value) === false ? FORMER.changed : null;
}

/** A line of the file that the sitemaps were checked by: a link, as long as the editor shows that file. */
function Line({ line, of }: { line: number; of: string }) {
  if (sitemapsText.value?.eq(draft.value)) return <LineLink line={line} />;
  return (
    <span class="note">
      {SITEMAPS.lineOf(line, sitemapsText.value === null ? short(of, 120) : sitemaps.isFormer.value ? SITEMAPS.lineFormerText : SITEMAPS.lineTextBefore)}
    </span>
  );
}

const COLORS = { good: "allowed", bad: "disallowed", caution: "partly", neutral: "partly" } as const;

/** The maximum number of entries that are shown. */
const MAX_ENTRIES = 300;

function SitemapsResult({ answer }: { answer: SitemapsAnswer }) {
  const sum = (of: (one: SitemapsAnswer["sitemaps"][number]) => number): number => answer.sitemaps.reduce((all, one) => all + of(one), 0);
  const blocked = sum((one) => one.disallowed);
  if (answer.named.length === 0) {
    return (
      <Empty title={SITEMAPS.none}>
        <p>{SITEMAPS.noneMore(short(answer.origin ?? "https://shop.example", 100))}</p>
      </Empty>
    );
  }
  const columns = SITEMAPS.columns;
  const wrongRows = answer.sitemaps.flatMap(({ file, entries }) => entries.map((row) => ({ file, row })));
  return (
    <section aria-label={SITEMAPS.label}>
      <p class={`summary ${COLORS[answer.headline.tone]}`}>
        <Sign answer={COLORS[answer.headline.tone]} /> {short(answer.headline.text, 400)}
      </p>
      {blocked > 0 && (
        <p class="note">{SITEMAPS.allow(blocked)}</p>
      )}
      <Scroll label={SITEMAPS.table}>
        <Stacked columns={[columns.sitemap, columns.allowed, columns.blocked, columns.other]}>
          <tbody role="rowgroup">
            {answer.sitemaps.map((one) => (
              <tr key={one.file} role="row">
                <td role="cell" class="wrap" dir="ltr">
                  <span class="mono">{short(one.file, 300)}</span>
                  {one.error !== null && <p class="warn">{SITEMAPS.error(capital(withStatusMeaning(short(one.error, 300))), isPartlyRead(one))}</p>}
                </td>
                <td role="cell" class="number" data-name={columns.allowed}>{numeral(one.allowed)}</td>
                <td role="cell" class="number" data-name={columns.blocked}>{numeral(one.disallowed)}</td>
                <td role="cell" data-name={columns.other}>
                  {SITEMAPS.others(one.sitemaps, one.no_verdict, one.problems, one.files_disallowed, one.outside)}
                </td>
              </tr>
            ))}
          </tbody>
        </Stacked>
      </Scroll>
      {answer.named
        .filter(({ problem }) => problem !== null)
        .map(({ line, url, problem }) => (
          <p key={line} class="note warn">
            <Line line={line} of={answer.robots} />
            {SITEMAPS.noAddress(short(url, 200), short(problem ?? "", 200))}
          </p>
        ))}
      {answer.left_out > 0 && <p class="note warn">{SITEMAPS.leftOut(answer.left_out)}</p>}
      {wrongRows.length > 0 && <Wrong rows={wrongRows.map(({ row }) => row)} robots={answer.robots} />}
    </section>
  );
}

function isPartlyRead(one: SitemapsAnswer["sitemaps"][number]): boolean {
  return one.allowed + one.disallowed + one.no_verdict + one.sitemaps > 0;
}

function Wrong({ rows, robots }: { rows: SitemapRow[]; robots: string }) {
  const blocked = rows.filter(({ file, verdict }) => file === undefined && verdict?.answer === "disallowed").map(({ url }) => url);
  return (
    <section aria-labelledby="sitemap-entries">
      <div class="row spread">
        <h2 id="sitemap-entries">{SITEMAPS.entriesTitle}</h2>
        {blocked.length > 0 && (
          <button
            type="button"
            onClick={() => {
              urlsTyped.value = `${blocked.join("\n")}\n`;
              view.value = "test";
            }}
          >
            {SITEMAPS.entriesTest}
          </button>
        )}
      </div>
      <Scroll label={SITEMAPS.entriesTable}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{SITEMAPS.entriesPage}</th>
              <th scope="col">{SITEMAPS.entriesAnswer}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ENTRIES).map((row, nth) => (
              <tr key={nth}>
                <td class="mono wrap" dir="ltr">
                  {short(row.url, 300)}
                </td>
                <td>
                  {row.verdict && <Verdict answer={row.verdict.answer} line={null} />}{" "}
                  {row.verdict?.line != null && <Line line={row.verdict.line} of={robots} />}
                  {row.file && <span class="note">{SITEMAPS.entriesFile(SITEMAPS.entriesFiles[row.file], row.agent ? short(row.agent, 60) : null)}</span>}
                  {row.problem && <span class="note">{short(row.problem, 200)}</span>}
                  {row.outside && <span class="note">{SITEMAPS.entriesOutside(short(row.outside, 200))}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.length > MAX_ENTRIES && <p class="note">{SITEMAPS.entriesMore(rows.length - MAX_ENTRIES)}</p>}
    </section>
  );
}
