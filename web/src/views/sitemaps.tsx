/** The sitemaps of a site, and the pages in them that the file blocks. */

import { signal } from "@preact/signals";
import { short } from "../escape";
import { Empty, LineLink, NoFetching, Scroll, Sign, Stacked, Verdict } from "../parts/bits";
import { LiveForm } from "../parts/live-form";
import { oneCrawler } from "../parts/one-crawler";
import { draft, service, urlsTyped } from "../state";
import { readSitemaps, sitemaps, sitemapsText } from "../site-answers";
import { origin, typedSite } from "../subject";
import type { SitemapRow, SitemapsAnswer } from "../types";
import { capital, count, FORMER, withStatusMeaning } from "../words";

/** The site that the user typed; null if that of the file is meant. */
const typed = signal<string | null>(null);

const wrong = signal<string | null>(null);

function read(): void {
  const site = typedSite(typed.value ?? origin.value ?? "");
  if (site === null) {
    wrong.value = "Write a site such as shop.example.";
    return;
  }
  wrong.value = null;
  readSitemaps(site, oneCrawler());
}

export function SitemapsView() {
  if (service.value && !service.value.fetches) return <NoFetching what="sitemaps" />;
  return (
    <>
      <p class="lead">
        A sitemap lists the pages that search engines should find. This view fetches the sitemaps that your file names, and
        finds listed pages that the file blocks.
      </p>
      <LiveForm
        id="sitemaps"
        label="Site of the file"
        placeholder="shop.example"
        typed={typed}
        suggested={origin.value ?? ""}
        button={{ idle: "Read the sitemaps", busy: "Reading…" }}
        send={read}
        wrong={wrong}
        found={sitemaps}
        outdated={outdated()}
        show={(answer) => <SitemapsResult answer={answer} />}
      >
        <Empty title="No sitemap was read yet">
          <p>Each sitemap gets one request: at most 20 of them, and the first 4 MB of each.</p>
        </Empty>
      </LiveForm>
    </>
  );
}

/** Returns what the answer is about, if that is not the text in the editor. */
function outdated(): string | null {
  if (sitemaps.isFormer.value) return FORMER.sitemaps(short(sitemaps.answer.value?.origin ?? "", 100));
  return sitemapsText.value?.eq(draft.value) === false ? FORMER.changed : null;
}

/** A line of the file that the sitemaps were checked by: a link, as long as the editor shows that file. */
function Line({ line, of }: { line: number; of: string }) {
  if (sitemapsText.value?.eq(draft.value)) return <LineLink line={line} />;
  return (
    <span class="note">
      line {line} of {sitemapsText.value === null ? short(of, 120) : sitemaps.isFormer.value ? "the text that was here before" : "the text before your changes"}
    </span>
  );
}

const COLORS = { good: "allowed", bad: "disallowed", caution: "partly", neutral: "partly" } as const;

const FILES = { image: "an image of a page", video: "a video of a page", alternate: "another form of a page" };

/** The maximum number of entries that are shown. */
const MAX_ENTRIES = 300;

function SitemapsResult({ answer }: { answer: SitemapsAnswer }) {
  const sum = (of: (one: SitemapsAnswer["sitemaps"][number]) => number): number => answer.sitemaps.reduce((all, one) => all + of(one), 0);
  const blocked = sum((one) => one.disallowed);
  if (answer.named.length === 0) {
    return (
      <Empty title="The file names no sitemap">
        <p>
          A line such as <code>Sitemap: {short(answer.origin ?? "https://shop.example", 100)}/sitemap.xml</code> names one.
          It may be anywhere in the file.
        </p>
      </Empty>
    );
  }
  const wrongRows = answer.sitemaps.flatMap(({ file, entries }) => entries.map((row) => ({ file, row })));
  return (
    <section aria-label="Result">
      <p class={`summary ${COLORS[answer.headline.tone]}`}>
        <Sign answer={COLORS[answer.headline.tone]} /> {short(answer.headline.text, 400)}
      </p>
      {blocked > 0 && (
        <p class="note">
          Allow {blocked === 1 ? "it" : "them"} in the robots.txt if search engines should find {blocked === 1 ? "it" : "them"};
          otherwise remove {blocked === 1 ? "it" : "them"} from the sitemap.
        </p>
      )}
      <Scroll label="The sitemaps">
        <Stacked columns={["Sitemap", "Allowed", "Blocked", "Other"]}>
          <tbody role="rowgroup">
            {answer.sitemaps.map((one) => (
              <tr key={one.file} role="row">
                <td role="cell" class="wrap" dir="ltr">
                  <span class="mono">{short(one.file, 300)}</span>
                  {one.error !== null && <p class="warn">{capital(withStatusMeaning(short(one.error, 300)))}.{isPartlyRead(one) && " The rest was not read."}</p>}
                </td>
                <td role="cell" class="number" data-name="Allowed">{one.allowed.toLocaleString("en")}</td>
                <td role="cell" class="number" data-name="Blocked">{one.disallowed.toLocaleString("en")}</td>
                <td role="cell" data-name="Other">{otherWords(one)}</td>
              </tr>
            ))}
          </tbody>
        </Stacked>
      </Scroll>
      {answer.named
        .filter(({ problem }) => problem !== null)
        .map(({ line, url, problem }) => (
          <p key={line} class="note warn">
            <Line line={line} of={answer.robots} />: {short(url, 200)} is not a sitemap’s address: {short(problem ?? "", 200)}.
          </p>
        ))}
      {answer.left_out > 0 && <p class="note warn">{count(answer.left_out, "more sitemap was", "more sitemaps were")} not read.</p>}
      {wrongRows.length > 0 && <Wrong rows={wrongRows.map(({ row }) => row)} robots={answer.robots} />}
    </section>
  );
}

function isPartlyRead(one: SitemapsAnswer["sitemaps"][number]): boolean {
  return one.allowed + one.disallowed + one.no_verdict + one.sitemaps > 0;
}

function otherWords(one: SitemapsAnswer["sitemaps"][number]): string {
  const parts = [
    one.sitemaps > 0 ? count(one.sitemaps, "sitemap") : "",
    one.no_verdict > 0 ? `${one.no_verdict.toLocaleString("en")} on another site` : "",
    one.problems > 0 ? `${one.problems.toLocaleString("en")} not a web address` : "",
    one.files_disallowed > 0 ? count(one.files_disallowed, "blocked file of a page", "blocked files of pages") : "",
    one.outside > 0 ? `${one.outside.toLocaleString("en")} outside its folder` : "",
  ];
  return parts.filter((part) => part !== "").join(", ") || "–";
}

function Wrong({ rows, robots }: { rows: SitemapRow[]; robots: string }) {
  const blocked = rows.filter(({ file, verdict }) => file === undefined && verdict?.answer === "disallowed").map(({ url }) => url);
  return (
    <section aria-labelledby="sitemap-entries">
      <div class="row spread">
        <h2 id="sitemap-entries">What to look at</h2>
        {blocked.length > 0 && (
          <button type="button" onClick={() => (urlsTyped.value = `${blocked.join("\n")}\n`)}>
            Test the blocked pages instead of my URLs
          </button>
        )}
      </div>
      <Scroll label="Entries with a problem">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Answer</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ENTRIES).map((row, nth) => (
              <tr key={nth}>
                <td class="mono wrap" dir="ltr">
                  {short(row.url, 300)}
                </td>
                <td>
                  {row.verdict && <Verdict answer={row.verdict.answer} line={0} />}{" "}
                  {row.verdict?.line != null && <Line line={row.verdict.line} of={robots} />}
                  {row.file && <span class="note"> {FILES[row.file]}{row.agent && `, which ${short(row.agent, 60)} fetches`}</span>}
                  {row.problem && <span class="note">{short(row.problem, 200)}</span>}
                  {row.outside && <span class="note"> not below {short(row.outside, 200)}, the folder of its sitemap</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.length > MAX_ENTRIES && <p class="note">and {(rows.length - MAX_ENTRIES).toLocaleString("en")} more.</p>}
    </section>
  );
}
