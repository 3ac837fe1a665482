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
import * as PAGE from "../words/page";

/** The page that the user typed; null if the first URL of the list is meant. */
const typed = signal<string | null>(null);

const wrong = signal<string | null>(null);

const onlyBlocked = signal(true);

const suggested = computed(() => urls.value.find((url) => !url.startsWith("/")) ?? (found.isFormer.value ? "" : (found.asked.value?.url ?? "")));

/** Returns what the answer is about, if that is not what the fields name or the file is another one. */
function outdated(): string | null {
  const { url = "", agent = "" } = found.asked.value ?? {};
  if (found.isFormer.value) return FORMER.page(short(url, 200));
  const named = toUrl((typed.value ?? suggested.value).trim());
  const isSame = named !== null && URL.canParse(named) && new URL(named).href === new URL(url).href && oneCrawler() === agent;
  return isSame ? null : PAGE.former(short(url, 200), short(agent, 60));
}

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
        outdated={found.answer.value === null ? null : outdated()}
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
  const line = page.fetch.line === null ? null : (isShown ? PAGE.answerLine : PAGE.answerLineElsewhere)(page.fetch.line, file);
  return (
    <>
      {line === null
        ? PAGE.answerNoLine(file)
        : page.text === undefined
          ? PAGE.answerDecidingUnknown(line)
          : PAGE.answerDeciding(line, <Code text={page.text} most={160} />)}
      {!isShown && PAGE.answerNotEditor()}
    </>
  );
}

function PageResult({ page }: { page: PageAnswer }) {
  const color = colorOf(page);
  return (
    <section aria-label={PAGE.answerLabel} class="page-answer">
      <div class={`meaning ${color}`}>
        <h2>
          <Sign answer={color === "partly" && page.fetch.answer !== "allowed" ? page.fetch.answer : color} /> <span>{short(page.headline.text, 400)}</span>
        </h2>
        {color === "unlisted" && (
          <p>{PAGE.answerAsksItself(noindexWords(page))}</p>
        )}
        <p>
          <Deciding page={page} />
          {page.status !== undefined && (page.redirects.length > 0 ? PAGE.answerRedirectsStatus : PAGE.answerStatus)(page.status)}
        </p>
        {page.redirects.length > 0 && <Redirects page={page} />}
        {page.resources_headline && <p>{short(page.resources_headline.text, 400)}</p>}
        {page.conflicts.some(({ conflict }) => conflict === "never-seen") && (
          <p class="warn">{PAGE.answerNeverSeen(short(page.agent, 100))}</p>
        )}
      </div>
      <Scroll label={PAGE.permissionsTable}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{PAGE.permissionsMay(short(page.agent, 60))}</th>
              <th scope="col">{PAGE.permissionsAnswer}</th>
              <th scope="col">{PAGE.permissionsBecause}</th>
            </tr>
          </thead>
          <tbody>
            {PAGE.permissionsUses.filter(([key]) => key !== "search" || !["hidden", page.search.stance].includes(page.index.stance)).map(([key, title]) => (
              <Use key={key} title={title} permission={page[key]} agent={short(page.agent, 60)} isRead={isRead(page)} isFirm={key === "index" || key === "follow"} instead={key === "index" ? insteadOf(page) : null} advice={key === "index" ? adviceOn(page) : null} />
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
    <ol class="statements" aria-label={PAGE.answerRedirects}>
      {page.redirects.slice(0, 20).map(({ url, status, allowed }, nth) => (
        <li key={nth}>
          {PAGE.answerRedirect(<span class="mono wrap" dir="ltr">{short(url, 200)}</span>, allowed, status)}
        </li>
      ))}
    </ol>
  );
}

/** Returns the answer of a permission. Indexing and links are allowed unless something forbids them. */
function stance(permission: PagePermission, isFirm: boolean): { answer: "allowed" | "disallowed" | "partly" | "unstated"; word: string } {
  switch (permission.stance) {
    case "yes":
      return { answer: "allowed", word: PAGE.permissionsYes };
    case "no":
      return { answer: "disallowed", word: PAGE.permissionsNo };
    case "hidden":
      return { answer: "partly", word: PAGE.permissionsNotKnown };
    default:
      return isFirm ? { answer: "allowed", word: PAGE.permissionsYes } : { answer: "unstated", word: PAGE.permissionsNotForbidden };
  }
}

/** The answer about a page that is not shown for another reason than a rule. */
const INSTEAD = { answer: "partly", word: PAGE.permissionsNo } as const;

/** Returns true if the crawler may fetch the page, and so reads its rules. */
function isRead({ fetch, found_at_allowed }: PageAnswer): boolean {
  return fetch.answer !== "disallowed" && found_at_allowed !== false;
}

/** Returns why search engines don't show a page that no rule forbids to show; null if they may. */
function insteadOf({ status, redirects, canonical }: PageAnswer): string | null {
  if (status !== undefined && status >= 400) return PAGE.permissionsError(status);
  const moved = redirects.at(-1)?.url;
  if (moved !== undefined) return PAGE.permissionsMoved(short(moved, 200));
  return canonical === undefined ? null : PAGE.permissionsCanonical(short(canonical, 200));
}

/** Returns how a page that the crawler may not fetch can be indexed; null if it may, or if the page forbids that itself. */
function adviceOn(page: PageAnswer): string | null {
  if (page.index.stance !== "hidden" || isRead(page) || page.conflicts.some(({ conflict }) => conflict === "never-seen")) return null;
  return PAGE.permissionsBareAddress(short(page.agent, 60), page.fetch.answer === "disallowed" ? page.fetch.line : null);
}

type UseProps = { title: string; permission: PagePermission; agent: string; isRead: boolean; isFirm: boolean; instead: string | null; advice: string | null };

function Use({ title, permission, agent, isRead, isFirm, instead, advice }: UseProps) {
  const isInstead = instead !== null && permission.stance === "not-stated";
  const { answer, word } = isInstead ? INSTEAD : stance(permission, isFirm);
  const nothing =
    permission.stance === "hidden"
      ? isRead
        ? PAGE.permissionsPartUnread
        : PAGE.permissionsCannotRead
      : permission.stance === "not-stated"
        ? isFirm
          ? isInstead
            ? instead
            : PAGE.permissionsNothing
          : PAGE.permissionsNothingSaid(agent)
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
                {PAGE.permissionsSaid(PAGE.placesLine(placeOf(source), line), <code>{short(text, 200)}</code>)}
              </p>
            ))}
        {advice !== null && <p>{advice}</p>}
      </td>
    </tr>
  );
}

function placeOf(source: string): string {
  return PAGE.placesNames[source] ?? source;
}

/** Returns where the page asks not to be shown. */
function noindexWords({ index }: PageAnswer): string {
  const [first] = index.because;
  return first === undefined ? "" : PAGE.answerAsksWhere(short(first.text, 100), placeOf(first.source));
}

/** The rules that the page itself states, in its header and in meta tags. */
function Rules({ page }: { page: PageAnswer }) {
  const all: [PageStatement, string][] = [
    ...page.applied.map((said): [PageStatement, string] => [
      said,
      !isRead(page) ? PAGE.rulesNeverRead : PAGE.rulesInForce,
    ]),
    ...page.ignored.map((said): [PageStatement, string] => [said, PAGE.rulesNoEffect(said.because ?? null)]),
    ...page.others.map((said): [PageStatement, string] => [said, PAGE.rulesOtherCrawler]),
  ];
  const columns = PAGE.rulesColumns;
  return (
    <section aria-labelledby="page-rules">
      <h2 id="page-rules">{PAGE.rulesTitle}</h2>
      {all.length === 0 ? (
        <p class="note">{PAGE.rulesNone}</p>
      ) : (
        <Scroll label={PAGE.rulesTable}>
          <Stacked columns={[columns.rule, columns.where, columns.for, columns.effect]}>
            <tbody role="rowgroup">
              {all.slice(0, 100).map(([said, effect], nth) => (
                <tr key={nth} role="row">
                  <td role="cell">
                    <code>{short(said.text, 200)}</code>
                  </td>
                  <td role="cell" data-name={columns.where}>
                    {PAGE.placesLine(placeOf(said.source), said.line)}
                  </td>
                  <td role="cell" data-name={columns.for}>{said.agent === null ? PAGE.rulesEvery : short(said.agent, 80)}</td>
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
  const columns = PAGE.resourcesColumns;
  return (
    <section aria-labelledby="page-resources">
      <h2 id="page-resources">{PAGE.resourcesTitle}</h2>
      {all.length === 0 ? (
        <p class="note">{PAGE.resourcesNone}</p>
      ) : (
        <>
          {blocked.length > 0 && blocked.length < all.length && (
            <label class="check">
              <input
                type="checkbox"
                checked={onlyBlocked.value}
                onChange={(event) => (onlyBlocked.value = event.currentTarget.checked)}
              />
              {PAGE.resourcesOnlyBlocked}
            </label>
          )}
          <Scroll label={PAGE.resourcesTable}>
            <Stacked columns={[columns.file, columns.kind, columns.answer]}>
              <tbody role="rowgroup">
                {shown.slice(0, MAX_RESOURCES).map((row) => (
                  <tr key={row.url} role="row">
                    <td role="cell" class="mono wrap" dir="ltr">
                      {short(row.url, 300)}
                    </td>
                    <td role="cell" data-name={columns.kind}>{PAGE.resourcesKinds[row.kind]}</td>
                    <td role="cell" class="wrap" data-name={columns.answer}>
                      {row.answer === null ? (
                        <span class="note">{PAGE.resourcesNoAnswer(row.error ? short(row.error, 200) : null)}</span>
                      ) : (
                        <>
                          <Verdict answer={row.answer} line={null} />
                          {row.line !== null && (
                            <span class="note">{PAGE.resourcesByLine(row.line, short(siteOf(row.url), 100))}</span>
                          )}
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Stacked>
          </Scroll>
          {shown.length > MAX_RESOURCES && <p class="note">{PAGE.resourcesMore(shown.length - MAX_RESOURCES)}</p>}
        </>
      )}
    </section>
  );
}
