/** A page of a live site: what a crawler may do with it, its own rules, and the files that it loads. */

import { computed, signal } from "@preact/signals";
import { short } from "../escape";
import { Code, Empty, NoFetching, Scroll, Sign, Stacked, Verdict } from "../parts/bits";
import { LiveForm } from "../parts/live-form";
import { oneCrawler } from "../parts/one-crawler";
import { draft, service, toUrl, urls } from "../state";
import { page as found } from "../site-answers";
import { absent, received, siteOf } from "../subject";
import type { PageAnswer, PagePermission, PageStatement, ResourceRow } from "../types";
import { FORMER } from "../words";

/** The page that the user typed; null if the first URL of the list is meant. */
const typed = signal<string | null>(null);

const wrong = signal<string | null>(null);

const onlyBlocked = signal(true);

const suggested = computed(() => urls.value.find((url) => !url.startsWith("/")) ?? "");

function check(): void {
  const url = toUrl((typed.value ?? suggested.value).trim());
  if (url === null || url.startsWith("/")) {
    wrong.value = "Write the whole address of a page, such as https://shop.example/shoes.";
    return;
  }
  wrong.value = null;
  void found.send("/v1/page", { url, agent: oneCrawler() });
}

export function PageView() {
  if (service.value && !service.value.fetches) return <NoFetching what="pages" />;
  return (
    <>
      <p class="lead">
        Fetches one page and tells what a crawler may do with it: by the site’s own robots.txt, by the rules on the page
        (noindex and others), and if the crawler may load the page’s styles, scripts and images.
      </p>
      <LiveForm
        id="page"
        label="Address of the page"
        placeholder="https://shop.example/shoes"
        typed={typed}
        suggested={suggested.value}
        button={{ idle: "Check the page", busy: "Checking…" }}
        send={check}
        wrong={wrong}
        found={found}
        outdated={found.isFormer.value ? FORMER.page(short(found.answer.value?.url ?? "", 200)) : null}
        show={(page) => <PageResult page={page} />}
      >
        <Empty title="No page was checked yet">
          <p>Write the address of a page above. The page gets one request, and nothing of it is stored.</p>
        </Empty>
      </LiveForm>
    </>
  );
}

const USES: [key: "index" | "follow" | "search" | "training" | "ai_input", title: string][] = [
  ["index", "Show it in search results"],
  ["follow", "Follow its links"],
  ["search", "Use it for search"],
  ["training", "Train AI with it"],
  ["ai_input", "Answer questions with it (AI)"],
];

/** Returns the color of the main answer. A page that is not shown, although it may be fetched, has one of its own. */
function colorOf({ headline, fetch, found_at_allowed, index }: PageAnswer): "allowed" | "disallowed" | "partly" | "unlisted" {
  if (headline.tone === "good") return "allowed";
  if (headline.tone !== "bad") return "partly";
  return fetch.answer === "allowed" && found_at_allowed !== false && index.stance === "no" ? "unlisted" : "disallowed";
}

/** The line of the site's own file that decides about the page. The text in the editor may be another one. */
function Deciding({ page }: { page: PageAnswer }) {
  const own = received.value;
  const isShown = own?.log?.robots_url === page.robots && own.text.eq(draft.value) && !absent.value;
  return (
    <>
      {page.fetch.line !== null ? (
        <>
          Line {page.fetch.line} of {!isShown && "the site’s own file, "}{short(page.robots, 200)}{!isShown && ","} decides
          {page.text === undefined ? "." : <>: <Code text={page.text} most={160} />.</>}
        </>
      ) : (
        `No line of ${short(page.robots, 200)} is about this page.`
      )}
      {!isShown && <strong> The text in the editor is not used here.</strong>}
    </>
  );
}

function PageResult({ page }: { page: PageAnswer }) {
  const color = colorOf(page);
  return (
    <section aria-label="The page" class="page-answer">
      <div class={`meaning ${color}`}>
        <h2>
          <Sign answer={color === "partly" && page.fetch.answer !== "allowed" ? page.fetch.answer : color} /> <span>{short(page.headline.text, 400)}</span>
        </h2>
        {color === "unlisted" && (
          <p>
            The page asks for that itself{noindexWords(page)}. If it should be found in search engines, remove that from the page.
          </p>
        )}
        <p>
          <Deciding page={page} />
          {page.status !== undefined && ` The page answered with status ${page.status}.`}
        </p>
        {page.redirects.length > 0 && <Redirects page={page} />}
        {page.resources_headline && <p>{short(page.resources_headline.text, 400)}</p>}
        {page.conflicts.some(({ conflict }) => conflict === "never-seen") && (
          <p class="warn">
            The page says “noindex”, but {short(page.agent, 100)} may not fetch it, so it never sees that. Its address may
            still be listed. To keep the page out of search results, let it be fetched.
          </p>
        )}
      </div>
      <Scroll label="What the crawler may do with the page">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">May {short(page.agent, 60)} …</th>
              <th scope="col">Answer</th>
              <th scope="col">Because</th>
            </tr>
          </thead>
          <tbody>
            {USES.filter(([key]) => key !== "search" || !["hidden", page.search.stance].includes(page.index.stance)).map(([key, title]) => (
              <Use key={key} title={title} permission={page[key]} agent={short(page.agent, 60)} isRead={isRead(page)} isFirm={key === "index" || key === "follow"} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <Rules page={page} />
      <Resources page={page} />
      {page.notes.length > 0 && (
        <ul class="statements note">
          {page.notes.slice(0, 20).map((note, nth) => (
            <li key={nth}>{short(note, 400)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Each URL that redirects led to, and if the crawler may fetch it. */
function Redirects({ page }: { page: PageAnswer }) {
  return (
    <ol class="statements" aria-label="Redirects">
      {page.redirects.slice(0, 20).map(({ url, status, allowed }, nth) => (
        <li key={nth}>
          → <span class="mono wrap" dir="ltr">{short(url, 200)}</span>, {allowed === null ? "without an answer" : allowed ? "allowed" : "blocked"}, status {status}
        </li>
      ))}
    </ol>
  );
}

/** Returns the answer of a permission. Indexing and links are allowed unless something forbids them. */
function stance(permission: PagePermission, isFirm: boolean): { answer: "allowed" | "disallowed" | "partly" | "unstated"; word: string } {
  switch (permission.stance) {
    case "yes":
      return { answer: "allowed", word: "Yes" };
    case "no":
      return { answer: "disallowed", word: "No" };
    case "hidden":
      return { answer: "partly", word: "Not known" };
    default:
      return isFirm ? { answer: "allowed", word: "Yes" } : { answer: "unstated", word: "Nothing forbids it" };
  }
}

/** Returns true if the crawler may fetch the page, and so reads its rules. */
function isRead({ fetch, found_at_allowed }: PageAnswer): boolean {
  return fetch.answer !== "disallowed" && found_at_allowed !== false;
}

type UseProps = { title: string; permission: PagePermission; agent: string; isRead: boolean; isFirm: boolean };

function Use({ title, permission, agent, isRead, isFirm }: UseProps) {
  const { answer, word } = stance(permission, isFirm);
  const nothing =
    permission.stance === "hidden"
      ? isRead
        ? "A part of the page was not read, and may forbid it."
        : "It may not fetch the page, so it cannot read the page’s rules."
      : permission.stance === "not-stated"
        ? isFirm
          ? "Nothing forbids it."
          : `Neither the file nor the page says anything about it to ${agent}.`
        : "";
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>
        <span class={`verdict ${answer}`}>
          <Sign answer={answer} /> {word}
        </span>
      </td>
      <td>
        {permission.because.length === 0
          ? nothing
          : permission.because.slice(0, 4).map(({ source, line, text }, nth) => (
              <p key={nth}>
                {PLACES[source] ?? source}
                {line !== null && `, line ${line}`}: <code>{short(text, 200)}</code>
              </p>
            ))}
      </td>
    </tr>
  );
}

const PLACES: Record<string, string> = {
  "robots-txt": "the site’s robots.txt",
  header: "the header of the page",
  meta: "a meta tag of the page",
  "x-robots-tag": "header X-Robots-Tag",
  "robots-tag": "header Robots-Tag",
};

/** Returns where the page asks not to be shown. */
function noindexWords({ index }: PageAnswer): string {
  const [first] = index.because;
  return first === undefined ? "" : `, by “${short(first.text, 100)}” in ${PLACES[first.source] ?? first.source}`;
}

/** The rules that the page itself states, in its header and in meta tags. */
function Rules({ page }: { page: PageAnswer }) {
  const all: [PageStatement, string][] = [
    ...page.applied.map((said): [PageStatement, string] => [
      said,
      !isRead(page) ? "none: the crawler may not fetch the page, so it never reads this" : "in force",
    ]),
    ...page.ignored.map((said): [PageStatement, string] => [said, `no effect: ${said.because ?? "not known"}`]),
    ...page.others.map((said): [PageStatement, string] => [said, "for another crawler"]),
  ];
  return (
    <section aria-labelledby="page-rules">
      <h2 id="page-rules">Rules on the page itself</h2>
      {all.length === 0 ? (
        <p class="note">It has none: neither a header X-Robots-Tag nor a meta tag for crawlers.</p>
      ) : (
        <Scroll label="Rules on the page">
          <Stacked columns={["Rule", "Where", "For", "Effect"]}>
            <tbody role="rowgroup">
              {all.slice(0, 100).map(([said, effect], nth) => (
                <tr key={nth} role="row">
                  <td role="cell">
                    <code>{short(said.text, 200)}</code>
                  </td>
                  <td role="cell" data-name="Where">
                    {PLACES[said.source] ?? said.source}
                    {said.line !== null && `, line ${said.line}`}
                  </td>
                  <td role="cell" data-name="For">{said.agent === null ? "every crawler" : short(said.agent, 80)}</td>
                  <td role="cell" data-name="Effect">{short(effect, 200)}</td>
                </tr>
              ))}
            </tbody>
          </Stacked>
        </Scroll>
      )}
    </section>
  );
}

const KINDS: Record<ResourceRow["kind"], string> = { style: "style", script: "script", image: "image" };

const MAX_RESOURCES = 200;

/** The files that the page loads. Without them, the crawler sees another page than people do. */
function Resources({ page }: { page: PageAnswer }) {
  const all = page.resources;
  const blocked = all.filter(({ answer }) => answer !== "allowed");
  const shown = onlyBlocked.value && blocked.length > 0 ? blocked : all;
  return (
    <section aria-labelledby="page-resources">
      <h2 id="page-resources">Styles, scripts and images of the page</h2>
      {all.length === 0 ? (
        <p class="note">The page names none.</p>
      ) : (
        <>
          {blocked.length > 0 && blocked.length < all.length && (
            <label class="check">
              <input
                type="checkbox"
                checked={onlyBlocked.value}
                onChange={(event) => (onlyBlocked.value = event.currentTarget.checked)}
              />
              Only those that are not allowed
            </label>
          )}
          <Scroll label="Files of the page">
            <Stacked columns={["File", "Kind", "Answer"]}>
              <tbody role="rowgroup">
                {shown.slice(0, MAX_RESOURCES).map((row) => (
                  <tr key={row.url} role="row">
                    <td role="cell" class="mono wrap" dir="ltr">
                      {short(row.url, 300)}
                    </td>
                    <td role="cell" data-name="Kind">{KINDS[row.kind]}</td>
                    <td role="cell" class="wrap" data-name="Answer">
                      {row.answer === null ? (
                        <span class="note">no answer: {short(row.error ?? "not known", 200)}</span>
                      ) : (
                        <>
                          <Verdict answer={row.answer} line={null} />
                          {row.line !== null && (
                            <span class="note">
                              {" "}
                              by line {row.line} of the site’s own file, {short(siteOf(row.url), 100)}/robots.txt
                            </span>
                          )}
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Stacked>
          </Scroll>
          {shown.length > MAX_RESOURCES && <p class="note">and {(shown.length - MAX_RESOURCES).toLocaleString("en")} more.</p>}
        </>
      )}
    </section>
  );
}
