/** URLs by crawlers: the verdicts, and their reasons. */

import { useEffect } from "preact/hooks";
import { short } from "../escape";
import { CrawlerPicker } from "../parts/crawlers";
import { AbsentFile } from "../parts/absent";
import { Answered, Empty, Problem, Waiting } from "../parts/bits";
import { changeSite } from "../parts/site-of-file";
import { fittingUrls, summaryWords, tested, testedAgents } from "../questions";
import { agents, announcement, typed, type Typed, urls, urlsTyped } from "../state";
import { absent, elsewhere, origin, siteOf } from "../subject";
import * as TEST from "../words/test";
import { ShortCsv, Sift } from "./sift";
import { VerdictTable } from "./verdicts";

export function TestView() {
  return (
    <>
      <div class="asked">
        <Urls />
        <CrawlerPicker />
      </div>
      <Results />
    </>
  );
}

export function Urls() {
  const bad = typed.value.filter(({ url }) => url === null);
  const lines = urlsTyped.value.split("\n").length;
  const rows = Math.min(Math.max(urlsTyped.value.trimEnd().split("\n").length, 3), 8);
  return (
    <div class="field">
      <label for="urls">{TEST.urlsLabel}</label>
      <textarea
        id="urls"
        // An empty line at the end needs no scrollbar as long as nobody types there.
        class={lines - 1 <= rows ? "mono whole" : "mono"}
        rows={rows}
        spellcheck={false}
        autocapitalize="off"
        wrap="off"
        aria-describedby="urls-note"
        value={urlsTyped.value}
        onInput={(event) => (urlsTyped.value = event.currentTarget.value)}
        // After typing a long URL, the list would remain scrolled to the side and look empty.
        onBlur={(event) => (event.currentTarget.scrollLeft = 0)}
      />
      <p id="urls-note" class={bad.length > 0 ? "note warn" : "note"}>
        {bad[0]
          ? badWords(bad[0], bad.length - 1)
          : ""}
      </p>
      <Elsewhere />
    </div>
  );
}

/** Returns a note on the lines of the list that are left out, with the reason. */
function badWords({ text, why }: Typed, others: number): string {
  return why === undefined ? TEST.urlsNoUrl(short(text, 60), others) : TEST.urlsRefused(short(text, 60), short(why, 300), others);
}

/** A note on the URLs that the file does not apply to, because they are on other sites. */
function Elsewhere() {
  const [others, here] = [elsewhere.value, origin.value];
  if (others.length === 0 || here === null) return null;
  const sites = [...new Set(others.map(siteOf))];
  return (
    <p class="note warn">
      {TEST.urlsElsewhere(others.length, short(sites.slice(0, 2).join(", "), 160), sites.length - 2, short(here, 100))}{" "}
      {!absent.value && (
        <button type="button" class="line-link" onClick={changeSite}>
          {TEST.urlsChangeSite}
        </button>
      )}
    </p>
  );
}

function Results() {
  const { answer, pending, problem } = tested;
  const missing = absent.value;
  const found = tested.answered.value?.subject === missing ? answer.value : null;
  const rows = found?.answers ?? [];
  const said = summaryWords(rows);
  useEffect(() => {
    if (said === "" || pending.value) return undefined;
    const timer = setTimeout(() => (announcement.value = said), 700);
    return () => clearTimeout(timer);
  }, [said, pending.value]);

  if (agents.value.length === 0) {
    return (
      <Empty title={TEST.noCrawlers}>
        <p>{TEST.noCrawlersMore}</p>
      </Empty>
    );
  }
  if (urls.value.length === 0) {
    return (
      <Empty title={TEST.noUrls}>
        <p>{TEST.noUrlsMore}</p>
      </Empty>
    );
  }
  if (missing && !missing.log) return <AbsentFile missing={missing} />;
  if (!found) {
    return (
      <>
        {missing && <AbsentFile missing={missing} />}
        {problem.value ? <Problem refusal={problem.value} /> : <Waiting />}
      </>
    );
  }
  return (
    <section class="results" aria-label={TEST.results} aria-busy={pending.value}>
      {missing && <AbsentFile missing={missing} />}
      <Answered to={tested}>
        <Limits />
        {found.size === "cut" && <p class="note warn">{TEST.cut}</p>}
        <Sift />
        <VerdictTable />
        <ShortCsv />
      </Answered>
    </section>
  );
}

/** A note on the part of a list that exceeds the limits of the service. */
function Limits() {
  const [asked, who] = [fittingUrls(testedAgents.value.length).length, testedAgents.value.length];
  const notes: string[] = [];
  if (asked < urls.value.length) {
    notes.push(TEST.firstUrls(asked, urls.value.length, who));
  }
  if (who < agents.value.length) notes.push(TEST.firstCrawlers(who, agents.value.length));
  return notes.length === 0 ? null : <p class="note warn">{notes.join(" ")}</p>;
}
