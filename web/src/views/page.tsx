/** A page of a live site: what a crawler may do with it, its own rules, and the files that it loads. */

import { computed, signal } from "@preact/signals";
import { short } from "../escape";
import { Code, Empty, NoFetching, Scroll, Sign, Stacked, Verdict } from "../parts/bits";
import { LiveForm } from "../parts/live-form";
import { oneCrawler } from "../parts/one-crawler";
import { draft, service, toUrl, urls } from "../state";
import { page as found } from "../site-answers";
import { absent, received, siteOf } from "../subject";
import type { PageAnswer, PagePermission, PageStatement } from "../types";
import { FORMER } from "../words";
import { PAGE, PAGE_ANSWER, PAGE_RULES, PERMISSIONS, PLACES, RESOURCES } from "../words/page";

/** The page that the user typed; null if the first URL of the list is meant. */
const typed = signal<string | null>(null);

const wrong = signal<string | null>(null);

const onlyBlocked = signal(true);

const suggested = computed(() => urls.value.find((url) => !url.startsWith("/")) ?? "");

function check(): void {
  const url = toUrl((typed.value ?? suggested.value).trim());
  if (url === null || url.startsWith("/")) {
    wrong.value = PAGE.wrong;
    return;
  }
  wrong.value = null;
  void found.send("/v1/page", { url, agent: oneCrawler() });
}

export function PageView() {
  if (service.value && !service.value.fetches) return <NoFetching what={PAGE.what} />;
  return (
    <>
      <p class="lead">{PAGE.lead}</p>
      <LiveForm
        id="page"
        label={PAGE.address}
        placeholder={PAGE.placeholder}
        typed={typed}
        suggested={suggested.value}
        button={{ idle: PAGE.check, busy: PAGE.checking }}
        send={check}
        wrong={wrong}
        found={found}
        outdated={found.isFormer.value ? FORMER.page(short(found.answer.value?.url ?? "", 200)) : null}
        show={(page) => <PageResult page={page} />}
      >
        <Empty title={PAGE.none}>
          <p>{PAGE.noneMore}</p>
        </Empty>
      </LiveForm>
    </>
  );
}

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
  const file = short(page.robots, 200);
  const line = page.fetch.line === null ? null : (isShown ? PAGE_ANSWER.line : PAGE_ANSWER.lineElsewhere)(page.fetch.line, file);
  return (
    <>
      {line === null
        ? PAGE_ANSWER.noLine(file)
        : page.text === undefined
          ? PAGE_ANSWER.decidingUnknown(line)
          : PAGE_ANSWER.deciding(line, <Code text={page.text} most={160} />)}
      {!isShown && PAGE_ANSWER.notEditor()}
    </>
  );
}

function PageResult({ page }: { page: PageAnswer }) {
  const color = colorOf(page);
  return (
    <section aria-label={PAGE_ANSWER.label} class="page-answer">
      <div class={`meaning ${color}`}>
        <h2>
          <Sign answer={color === "partly" && page.fetch.answer !== "allowed" ? page.fetch.answer : color} /> <span>{short(page.headline.text, 400)}</span>
        </h2>
        {color === "unlisted" && (
          <p>{PAGE_ANSWER.asksItself(noindexWords(page))}</p>
        )}
        <p>
          <Deciding page={page} />
          {page.status !== undefined && PAGE_ANSWER.status(page.status)}
        </p>
        {page.redirects.length > 0 && <Redirects page={page} />}
        {page.resources_headline && <p>{short(page.resources_headline.text, 400)}</p>}
        {page.conflicts.some(({ conflict }) => conflict === "never-seen") && (
          <p class="warn">{PAGE_ANSWER.neverSeen(short(page.agent, 100))}</p>
        )}
      </div>
      <Scroll label={PERMISSIONS.table}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{PERMISSIONS.may(short(page.agent, 60))}</th>
              <th scope="col">{PERMISSIONS.answer}</th>
              <th scope="col">{PERMISSIONS.because}</th>
            </tr>
          </thead>
          <tbody>
            {PERMISSIONS.uses.filter(([key]) => key !== "search" || !["hidden", page.search.stance].includes(page.index.stance)).map(([key, title]) => (
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
    <ol class="statements" aria-label={PAGE_ANSWER.redirects}>
      {page.redirects.slice(0, 20).map(({ url, status, allowed }, nth) => (
        <li key={nth}>
          {PAGE_ANSWER.redirect(<span class="mono wrap" dir="ltr">{short(url, 200)}</span>, allowed, status)}
        </li>
      ))}
    </ol>
  );
}

/** Returns the answer of a permission. Indexing and links are allowed unless something forbids them. */
function stance(permission: PagePermission, isFirm: boolean): { answer: "allowed" | "disallowed" | "partly" | "unstated"; word: string } {
  switch (permission.stance) {
    case "yes":
      return { answer: "allowed", word: PERMISSIONS.yes };
    case "no":
      return { answer: "disallowed", word: PERMISSIONS.no };
    case "hidden":
      return { answer: "partly", word: PERMISSIONS.notKnown };
    default:
      return isFirm ? { answer: "allowed", word: PERMISSIONS.yes } : { answer: "unstated", word: PERMISSIONS.notForbidden };
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
        ? PERMISSIONS.partUnread
        : PERMISSIONS.cannotRead
      : permission.stance === "not-stated"
        ? isFirm
          ? PERMISSIONS.nothing
          : PERMISSIONS.nothingSaid(agent)
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
                {PERMISSIONS.said(PLACES.line(placeOf(source), line), <code>{short(text, 200)}</code>)}
              </p>
            ))}
      </td>
    </tr>
  );
}

function placeOf(source: string): string {
  return PLACES.names[source] ?? source;
}

/** Returns where the page asks not to be shown. */
function noindexWords({ index }: PageAnswer): string {
  const [first] = index.because;
  return first === undefined ? "" : PAGE_ANSWER.asksWhere(short(first.text, 100), placeOf(first.source));
}

/** The rules that the page itself states, in its header and in meta tags. */
function Rules({ page }: { page: PageAnswer }) {
  const all: [PageStatement, string][] = [
    ...page.applied.map((said): [PageStatement, string] => [
      said,
      !isRead(page) ? PAGE_RULES.neverRead : PAGE_RULES.inForce,
    ]),
    ...page.ignored.map((said): [PageStatement, string] => [said, PAGE_RULES.noEffect(said.because ?? null)]),
    ...page.others.map((said): [PageStatement, string] => [said, PAGE_RULES.otherCrawler]),
  ];
  const { columns } = PAGE_RULES;
  return (
    <section aria-labelledby="page-rules">
      <h2 id="page-rules">{PAGE_RULES.title}</h2>
      {all.length === 0 ? (
        <p class="note">{PAGE_RULES.none}</p>
      ) : (
        <Scroll label={PAGE_RULES.table}>
          <Stacked columns={[columns.rule, columns.where, columns.for, columns.effect]}>
            <tbody role="rowgroup">
              {all.slice(0, 100).map(([said, effect], nth) => (
                <tr key={nth} role="row">
                  <td role="cell">
                    <code>{short(said.text, 200)}</code>
                  </td>
                  <td role="cell" data-name={columns.where}>
                    {PLACES.line(placeOf(said.source), said.line)}
                  </td>
                  <td role="cell" data-name={columns.for}>{said.agent === null ? PAGE_RULES.every : short(said.agent, 80)}</td>
                  <td role="cell" data-name={columns.effect}>{short(effect, 200)}</td>
                </tr>
              ))}
            </tbody>
          </Stacked>
        </Scroll>
      )}
    </section>
  );
}

const MAX_RESOURCES = 200;

/** The files that the page loads. Without them, the crawler sees another page than people do. */
function Resources({ page }: { page: PageAnswer }) {
  const all = page.resources;
  const blocked = all.filter(({ answer }) => answer !== "allowed");
  const shown = onlyBlocked.value && blocked.length > 0 ? blocked : all;
  const { columns } = RESOURCES;
  return (
    <section aria-labelledby="page-resources">
      <h2 id="page-resources">{RESOURCES.title}</h2>
      {all.length === 0 ? (
        <p class="note">{RESOURCES.none}</p>
      ) : (
        <>
          {blocked.length > 0 && blocked.length < all.length && (
            <label class="check">
              <input
                type="checkbox"
                checked={onlyBlocked.value}
                onChange={(event) => (onlyBlocked.value = event.currentTarget.checked)}
              />
              {RESOURCES.onlyBlocked}
            </label>
          )}
          <Scroll label={RESOURCES.table}>
            <Stacked columns={[columns.file, columns.kind, columns.answer]}>
              <tbody role="rowgroup">
                {shown.slice(0, MAX_RESOURCES).map((row) => (
                  <tr key={row.url} role="row">
                    <td role="cell" class="mono wrap" dir="ltr">
                      {short(row.url, 300)}
                    </td>
                    <td role="cell" data-name={columns.kind}>{RESOURCES.kinds[row.kind]}</td>
                    <td role="cell" class="wrap" data-name={columns.answer}>
                      {row.answer === null ? (
                        <span class="note">{RESOURCES.noAnswer(row.error ? short(row.error, 200) : null)}</span>
                      ) : (
                        <>
                          <Verdict answer={row.answer} line={null} />
                          {row.line !== null && (
                            <span class="note">{RESOURCES.byLine(row.line, short(siteOf(row.url), 100))}</span>
                          )}
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Stacked>
          </Scroll>
          {shown.length > MAX_RESOURCES && <p class="note">{RESOURCES.more(shown.length - MAX_RESOURCES)}</p>}
        </>
      )}
    </section>
  );
}
