/** The top of the page: its name, the dialect, sharing, the theme, and help; and notices about the service. */

import { signal } from "@preact/signals";
import { isStatic } from "#transport";
import { health, isTokenWrong, retry, useToken } from "../api";
import { linkTrouble } from "../link";
import { dialect, service } from "../state";
import { DIALECTS, DIALECTS_SHORT } from "../words";
import * as FRAME from "../words/frame";
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
          <span class="wordmark">{FRAME.headerName}</span> <span class="what">{FRAME.headerWhat}</span>
        </h1>
        <p class="question">{FRAME.headerQuestion}</p>
      </div>
      <div class="tools">
        <label class="select" title={FRAME.headerReadAsHelp}>
          <span>{FRAME.headerReadAs}</span>
          <select value={dialect.value} onChange={(event) => (dialect.value = event.currentTarget.value)}>
            {(service.value?.dialects.map(({ name }) => name) ?? Object.keys(DIALECTS)).map((name) => (
              <option key={name} value={name}>
                {name === "standard" ? DIALECTS_SHORT[name] : (DIALECTS[name] ?? name)}
              </option>
            ))}
          </select>
        </label>
        <Share />
        <button type="button" class="tool" onClick={nextTheme} aria-label={FRAME.headerChangeTheme[theme.value]} title={FRAME.headerTheme}>
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

const helpDialog: { current: HTMLDialogElement | null } = { current: null };

export function showHelp(): void {
  if (!helpDialog.current?.open) helpDialog.current?.showModal();
}

function Help() {
  const version = service.value?.version ?? "";
  const licenses = <a href="licenses.txt">{FRAME.helpLicenses}</a>;
  return (
    <>
      <button type="button" class="tool" onClick={showHelp} aria-label={FRAME.helpOpen} title={FRAME.helpShort}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M7.4 7.4a2.7 2.7 0 1 1 3.9 2.7c-.9.4-1.3 1-1.3 2M10 15v.2" />
        </svg>
      </button>
      <dialog ref={(dialog) => void (helpDialog.current = dialog)} class="dialog" aria-labelledby="help-title">
        <h2 id="help-title" tabIndex={-1} autofocus>
          {FRAME.helpTitle}
        </h2>
        <ol>
          {[isStatic ? FRAME.helpStepFileStatic : FRAME.helpStepFile, ...FRAME.helpSteps].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <h3 class="with-keys">{FRAME.helpKeyboard}</h3>
        <dl class="keys with-keys">
          {FRAME.helpShortcuts.map(([keys, what]) => (
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
            ? FRAME.helpGoesNowhere
            : isLoopback(location.hostname)
            ? FRAME.helpStaysHere
            : FRAME.helpIsSent(location.host)}
        </p>
        <p class="note">
          {isStatic ? FRAME.helpAboutStatic(version, licenses) : FRAME.helpAbout(version, <a href="/openapi.json">{FRAME.helpApi}</a>, licenses)}
        </p>
        <div class="row end">
          <button type="button" class="primary" onClick={() => helpDialog.current?.close()}>
            {FRAME.helpClose}
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
      <p>{FRAME.noticesLink(linkTrouble.value)}</p>
      <button type="button" onClick={andKeepFocus(() => (linkTrouble.value = null), ".tools button")}>
        {FRAME.noticesClose}
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
            <p>{FRAME.noticesModule()}</p>
          </div>
        );
      }
      return (
        <div class="notice" role="alert">
          <p>{FRAME.noticesOffline()}</p>
          <button type="button" onClick={retry}>
            {FRAME.noticesRetry}
          </button>
        </div>
      );
    case "busy":
      return (
        <div class="notice" role="status">
          <p>{FRAME.noticesBusy()}</p>
        </div>
      );
    case "token":
      return (
        <form
          class="notice"
          // A name makes a form a landmark.
          aria-label={FRAME.noticesToken}
          onSubmit={(event) => {
            event.preventDefault();
            const field = event.currentTarget.elements.namedItem("token");
            if (field instanceof HTMLInputElement && field.value.trim() !== "") useToken(field.value.trim());
          }}
        >
          <label for="token">
            {FRAME.noticesTokenAsked()}
            {isTokenWrong.value && FRAME.noticesTokenWrong()}
          </label>
          <div class="row">
            <input id="token" name="token" type="password" autocomplete="off" />
            <button type="submit" class="primary">
              {FRAME.noticesTokenUse}
            </button>
          </div>
        </form>
      );
    default:
      return null;
  }
}
