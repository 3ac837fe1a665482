/** The versions of a site's file that the service has fetched, for http and https, with and without www. */

import { computed, effect, signal } from "@preact/signals";
import { again, ask } from "../api";
import { short } from "../escape";
import { fetching, fetchSite } from "../fetching";
import { Scroll, Stacked } from "../parts/bits";
import { fetchLog, site, view } from "../state";
import { typedSite } from "../subject";
import type { SiteVersions } from "../types";
import { bytesWords } from "../words";
import * as FETCH from "../words/fetch";

/** The known versions of each address. */
const known = signal<SiteVersions[]>([]);

const subject = computed(() => (view.value === "fetch" ? (fetchLog.value?.origin ?? typedSite(site.value)) : null));

effect(() => {
  const origin = subject.value;
  void [again.value, fetchLog.value];
  if (origin === null) {
    known.value = [];
    return undefined;
  }
  const abort = new AbortController();
  const timer = setTimeout(async () => {
    const found = await ask<SiteVersions[]>(`/v1/versions?origin=${encodeURIComponent(origin)}`, null, abort.signal).catch(() => []);
    if (!abort.signal.aborted) known.value = found;
  }, 300);
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
});

/** The maximum number of versions that are shown of each address. */
const MAX_VERSIONS = 20;

export function Versions() {
  const list = known.value;
  if (list.length === 0) return null;
  return (
    <section aria-labelledby="versions-title">
      <h2 id="versions-title">{FETCH.versionsTitle}</h2>
      <p class="note">{FETCH.versionsLead}</p>
      <Scroll label={FETCH.versionsTable}>
        <Stacked kind="versions" columns={FETCH.versionsColumns}>
          {list.map(({ origin, versions }) => (
            <tbody key={origin} role="rowgroup">
              {versions.length === 0 ? (
                <tr role="row">
                  <th scope="row" role="rowheader" class="mono wrap">
                    {short(origin, 200)}
                  </th>
                  <td colSpan={2} role="cell" class="note">
                    {FETCH.versionsNotYet}
                  </td>
                  <td role="cell">
                    <button type="button" class="quiet" disabled={fetching.value} onClick={() => fetchOne(origin)}>
                      {FETCH.versionsFetch(origin)}
                    </button>
                  </td>
                </tr>
              ) : (
                versions.slice(0, MAX_VERSIONS).map((version, nth) => (
                  <tr key={nth} role="row">
                    <th scope="row" role="rowheader" class="mono wrap">
                      {nth === 0 ? short(origin, 200) : <span class="unseen">{origin}</span>}
                    </th>
                    <td role="cell">
                      {moment(version.last_seen)}
                      {version.first_seen !== version.last_seen && <p class="note">{FETCH.versionsFirstSeen(moment(version.first_seen))}</p>}
                    </td>
                    <td role="cell">{short(version.event, 200)}</td>
                    <td role="cell" class="number">{version.size === null ? FETCH.versionsNoSize : bytesWords(version.size)}</td>
                  </tr>
                ))
              )}
            </tbody>
          ))}
        </Stacked>
      </Scroll>
    </section>
  );
}

function fetchOne(origin: string): void {
  site.value = origin;
  void fetchSite("log");
}

/** Returns a moment in the language and the time zone of the browser. */
function moment(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? short(at, 40) : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
