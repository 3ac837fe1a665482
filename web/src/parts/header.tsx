/** The top of the page: its name, the dialect, sharing, the theme, and help; and notices about the service. */

import { signal } from "@preact/signals";
import { isStatic } from "#transport";
import { health, isTokenWrong, retry, useToken } from "../api";
import { linkTrouble } from "../link";
import { dialect, service } from "../state";
import { DIALECTS, DIALECTS_SHORT } from "../words";
import { andKeepFocus } from "./bits";
import { isLoopback, Share } from "./share";

type Theme = "system" | "light" | "dark";
const THEMES: Theme[] = ["system", "light", "dark"];
const theme = signal<Theme>(stored());

function stored(): Theme {
  try {
    return THEMES.find((name) => name === localStorage.getItem("theme")) ?? "system";
  } catch {
    return "system";
  }
}

export function applyTheme(): void {
  if (theme.value === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
}

function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  applyTheme();
  try {
    localStorage.setItem("theme", theme.value);
  } catch {
    // Private windows may not allow storage.
  }
}

export function Header() {
  return (
    <header class="top">
      <div class="brand">
        <h1>
          <span class="wordmark">comity</span> <span class="what">the robots.txt tester</span>
        </h1>
        <p class="question">May this crawler fetch this URL, and exactly why?</p>
      </div>
      <div class="tools">
        <label class="select" title={READ_AS}>
          <span>Read as</span>
          <select value={dialect.value} onChange={(event) => (dialect.value = event.currentTarget.value)}>
            {(service.value?.dialects.map(({ name }) => name) ?? Object.keys(DIALECTS)).map((name) => (
              <option key={name} value={name}>
                {name === "standard" ? DIALECTS_SHORT[name] : (DIALECTS[name] ?? name)}
              </option>
            ))}
          </select>
        </label>
        <Share />
        <button type="button" class="tool" onClick={nextTheme} aria-label={`Theme: ${theme.value}. Change`} title="Theme">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            {theme.value === "dark" ? (
              <path d="M15.5 12.2A6.5 6.5 0 0 1 7.8 4.5a6.5 6.5 0 1 0 7.7 7.7z" />
            ) : theme.value === "light" ? (
              <path d="M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6L16 16M4 16l1.4-1.4M14.6 5.4L16 4" />
            ) : (
              <>
                <circle cx="10" cy="10" r="6.8" />
                <path d="M10 3.2a6.8 6.8 0 0 1 0 13.6z" class="half" />
              </>
            )}
          </svg>
        </button>
        <Help />
      </div>
    </header>
  );
}

/** The help text about the choice of a dialect. */
const READ_AS =
  "Crawlers differ in small things when they read a robots.txt. The standard (RFC 9309, the Internet’s common rules for robots.txt) is right for most questions; choose a search engine to read the file exactly as it does.";

const helpDialog: { current: HTMLDialogElement | null } = { current: null };

export function showHelp(): void {
  if (!helpDialog.current?.open) helpDialog.current?.showModal();
}

const SHORTCUTS: [keys: string[], what: string][] = [
  [["Alt", "1"], "to Alt 9, then Alt 0: the views, in their order"],
  [["Tab"], "leaves the editor, as it leaves any field"],
  [["F8"], "in the editor: the next finding"],
  [["Ctrl", "F"], "in the editor: search"],
  [["Ctrl", "."], "from anywhere: to the verdicts, and from there back to the editor"],
  [["←", "→", "↑", "↓"], "from one verdict, or one view, to the next"],
  [["Enter"], "on a verdict: why it is so"],
  [["Ctrl", "S"], "downloads the file"],
  [["F1"], "this list"],
];

function Help() {
  return (
    <>
      <button type="button" class="tool" onClick={showHelp} aria-label="Help and keyboard shortcuts" title="Help">
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M7.4 7.4a2.7 2.7 0 1 1 3.9 2.7c-.9.4-1.3 1-1.3 2M10 15v.2" />
        </svg>
      </button>
      <dialog ref={(dialog) => void (helpDialog.current = dialog)} class="dialog" aria-labelledby="help-title">
        <h2 id="help-title" tabIndex={-1} autofocus>
          How it works
        </h2>
        <ol>
          <li>{isStatic ? "Open a robots.txt, paste one" : "Fetch a site’s robots.txt, paste one"}, or change the example.</li>
          <li>Write the URLs that you care about, and choose crawlers.</li>
          <li>Read the verdicts, and click one to see why. The line that decides lights up.</li>
        </ol>
        <h3 class="with-keys">By keyboard</h3>
        <dl class="keys with-keys">
          {SHORTCUTS.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p class="note">
          {isStatic
            ? "Your browser itself works out the answers: the file and the URLs are sent nowhere."
            : isLoopback(location.hostname)
            ? "The file and the URLs go to the program on your own computer that shows this page, and nowhere else."
            : `The file and the URLs are sent to ${location.host} to be answered. They are not stored there.`}
        </p>
        <p class="note">
          With a Mac’s keyboard, Ctrl is Cmd. comity {service.value?.version ?? ""}
          {!isStatic && (
            <>
              ; <a href="/openapi.json">the API</a> answers the same questions for programs
            </>
          )}
          . <a href="licenses.txt">Licenses</a> of the parts of this page.
        </p>
        <div class="row end">
          <button type="button" class="primary" onClick={() => helpDialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </>
  );
}

/** Notices about the link that was opened, and about the service. */
export function Notice() {
  return (
    <>
      <LinkNotice />
      <HealthNotice />
    </>
  );
}

function LinkNotice() {
  if (linkTrouble.value === null) return null;
  return (
    <div class="notice" role="alert">
      <p>
        <strong>This link is incomplete or damaged.</strong> Programs often cut long links: ask for it again, or for the
        file itself. {linkTrouble.value}
      </p>
      <button type="button" onClick={andKeepFocus(() => (linkTrouble.value = null), ".tools button")}>
        Close
      </button>
    </div>
  );
}

/** The problem that keeps the service from answering, and a remedy. */
function HealthNotice() {
  switch (health.value) {
    case "offline":
      if (isStatic) {
        return (
          <div class="notice" role="alert">
            <p>
              <strong>The tester could not be loaded completely.</strong> Load the page again. If that does not help, its
              WebAssembly module is missing on this host, or the browser does not allow WebAssembly here.
            </p>
          </div>
        );
      }
      return (
        <div class="notice" role="alert">
          <p>
            <strong>The service does not answer.</strong> What you typed is safe, and the last verdicts stay. If you
            started it yourself, start it again: <code>comity serve</code>. The page keeps trying.
          </p>
          <button type="button" onClick={retry}>
            Try now
          </button>
        </div>
      );
    case "busy":
      return (
        <div class="notice" role="status">
          <p>
            <strong>The service is busy.</strong> The page tries again by itself.
          </p>
        </div>
      );
    case "token":
      return (
        <form
          class="notice"
          // A name makes a form a landmark.
          aria-label="Token"
          onSubmit={(event) => {
            event.preventDefault();
            const field = event.currentTarget.elements.namedItem("token");
            if (field instanceof HTMLInputElement && field.value.trim() !== "") useToken(field.value.trim());
          }}
        >
          <label for="token">
            <strong>This service asks for a password, its token.</strong> The person who set up this page has it. It is not the
            password of your website. It is forgotten when you close the page.
            {isTokenWrong.value && <strong> The token that you gave is not the right one.</strong>}
          </label>
          <div class="row">
            <input id="token" name="token" type="password" autocomplete="off" />
            <button type="submit" class="primary">
              Use it
            </button>
          </div>
        </form>
      );
    default:
      return null;
  }
}
