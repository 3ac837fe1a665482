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
import { count } from "../words";
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
      <label for="urls">URLs, one on each line</label>
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
  const more = others > 0 ? ` ${count(others, "more line")} ${others === 1 ? "is" : "are"} left out, too.` : "";
  if (why !== undefined) return `“${short(text, 60)}” is left out: ${short(why, 300)}.${more}`;
  return `“${short(text, 60)}” is no URL, and is left out: write https://host/path, or /path.${more}`;
}

/** A note on the URLs that the file does not apply to, because they are on other sites. */
function Elsewhere() {
  const [others, here] = [elsewhere.value, origin.value];
  if (others.length === 0 || here === null) return null;
  const sites = [...new Set(others.map(siteOf))];
  const more = sites.length > 2 ? `, and ${sites.length - 2} more` : "";
  return (
    <p class="note warn">
      {others.length === 1 ? "One URL is on another site" : `${others.length} URLs are on other sites`} (
      {short(sites.slice(0, 2).join(", "), 160)}
      {more}): a robots.txt of {short(here, 100)} has no say there.{" "}
      {!absent.value && (
        <button type="button" class="line-link" onClick={changeSite}>
          Change the file’s site
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
      <Empty title="Which crawlers?">
        <p>Choose one or more above: by name, by company, or a whole group such as AI training.</p>
      </Empty>
    );
  }
  if (urls.value.length === 0) {
    return (
      <Empty title="Which URLs?">
        <p>Write the URLs to test above, one on each line. A path such as /shop/ will do.</p>
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
    <section class="results" aria-label="Verdicts" aria-busy={pending.value}>
      {missing && <AbsentFile missing={missing} />}
      <Answered to={tested}>
        <Limits />
        {found.size === "cut" && (
          <p class="note warn">The file is larger than crawlers must read: only its first 512,000 bytes count here.</p>
        )}
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
    notes.push(`The first ${asked.toLocaleString("en")} of ${urls.value.length.toLocaleString("en")} URLs are tested: with ${count(who, "crawler")}, the service answers no more at once.`);
  }
  if (who < agents.value.length) notes.push(`The first ${who} of ${agents.value.length} crawlers are tested.`);
  return notes.length === 0 ? null : <p class="note warn">{notes.join(" ")}</p>;
}
