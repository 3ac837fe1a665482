/** The crawlers to test for: a combobox that searches by name and company, with whole groups, and any other name. */

import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { short } from "../escape";
import { agents, announcement, crawlerOf, crawlers } from "../state";
import { andMore, ANYONE, count, PURPOSES } from "../words";
import * as PARTS from "../words/parts";

const typed = signal("");
const isOpen = signal(false);
const active = signal(0);

interface Option {
  key: string;
  label: string;
  aside: string;
  /** The tokens that it adds, or removes if all are selected. */
  tokens: string[];
  whole: boolean;
}

interface Section {
  title: string;
  options: Option[];
}

const sections = computed<Section[]>(() => {
  const wanted = typed.value.trim().toLowerCase();
  const found: Section[] = [];
  const title = (name: string): string => PURPOSES.find(([purpose]) => purpose === name)?.[1] ?? PARTS.pickerOtherPurpose;
  const rank = new Map(PURPOSES.map(([name], rank) => [name, rank]));
  const purposes = [...new Set(crawlers.value.map(({ purpose }) => purpose))];
  purposes.sort((a, b) => (rank.get(a) ?? 99) - (rank.get(b) ?? 99));
  for (const purpose of purposes) {
    const all = crawlers.value.filter((crawler) => crawler.purpose === purpose && !crawler.retired);
    const group = title(purpose);
    // "Chat GPT" finds ChatGPT, and "google mobile" finds the same as "google".
    const rest = wanted.replace(/\b(mobile|smartphone|desktop|crawler|bot)\b/g, "").replaceAll(/[\s_-]+/g, "");
    const looked = rest === "" ? wanted : rest;
    const matches = (text: string): boolean => {
      const lower = text.toLowerCase();
      return lower.includes(wanted) || lower.replaceAll(/[\s_-]+/g, "").includes(looked);
    };
    // A whole User-Agent header also finds the crawler that it contains.
    const isNamed = (token: string): boolean => wanted.length > 8 && wanted.includes(token.toLowerCase());
    const fits = all.filter(({ token, operator }) => matches(token) || isNamed(token) || matches(operator) || matches(group));
    const options = fits.map<Option>(({ token, operator }) => ({
      key: token,
      label: token,
      aside: operator,
      tokens: [token],
      whole: false,
    }));
    if (all.length > 1 && (wanted === "" || matches(group))) {
      const tokens = all.map(({ token }) => token);
      options.unshift({ key: `all ${purpose}`, label: PARTS.pickerAllOf(group), aside: count(all.length, "crawler"), tokens, whole: true });
    }
    if (options.length > 0) found.push({ title: group, options });
  }
  // The input "AI" means crawlers for AI, not Baiduspider.
  if (wanted !== "") found.sort((a, b) => Number(begins(b.title, wanted)) - Number(begins(a.title, wanted)));
  const text = typed.value.trim();
  const free: Option[] = [];
  if (wanted === "" || PARTS.pickerEveryoneFoundBy.includes(wanted)) {
    free.push({ key: "*", label: "*", aside: PARTS.pickerEveryone, tokens: ["*"], whole: false });
  }
  // Names of crawlers contain neither spaces nor slashes; a text with them is a header.
  const name = text.split(/[\s/]/, 1)[0] ?? "";
  if (name !== "" && name !== "*" && name.length <= 100 && !crawlerOf.value(name)) {
    free.push({ key: `own ${name}`, label: name, aside: PARTS.pickerOwn, tokens: [name], whole: false });
  }
  if (wanted === "" || PARTS.pickerAllFoundBy.includes(wanted)) {
    const tokens = crawlers.value.filter(({ retired }) => !retired).map(({ token }) => token);
    if (tokens.length > 0) {
      free.push({ key: "all", label: PARTS.pickerAll, aside: count(tokens.length, "crawler"), tokens, whole: true });
    }
  }
  if (free.length > 0) found.push({ title: PARTS.pickerOthers, options: free });
  return found;
});

function begins(text: string, wanted: string): boolean {
  return text.toLowerCase().split(" ").some((word) => word.startsWith(wanted));
}

const options = computed(() => sections.value.flatMap((section) => section.options));

function has(option: Option): boolean {
  return option.tokens.every((token) => agents.value.includes(token));
}

function toggle(option: Option): void {
  const removed = has(option);
  agents.value = removed
    ? agents.value.filter((agent) => !option.tokens.includes(agent))
    : [...new Set([...agents.value, ...option.tokens])];
  const what = option.whole ? count(option.tokens.length, "crawler") : short(option.label, 60);
  announcement.value = (removed ? PARTS.pickerRemoved : PARTS.pickerAdded)(what, count(agents.value.length, "crawler"));
  typed.value = "";
}

export function CrawlerPicker() {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = options.value;
  const here = Math.min(active.value, list.length - 1);

  useEffect(() => {
    if (isOpen.value) document.getElementById(`crawler-${here}`)?.scrollIntoView({ block: "nearest" });
  }, [here, isOpen.value]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (isOpen.value) active.value = Math.min(Math.max(here + move, 0), list.length - 1);
      isOpen.value = true;
    } else if (event.key === "Enter") {
      event.preventDefault();
      const option = list[here];
      if (isOpen.value && option) toggle(option);
      else isOpen.value = true;
    } else if (event.key === "Escape" && isOpen.value) {
      event.preventDefault();
      event.stopPropagation();
      isOpen.value = false;
    } else if (event.key === "Backspace" && typed.value === "" && agents.value.length > 0) {
      const last = agents.value.at(-1) ?? "";
      agents.value = agents.value.slice(0, -1);
      announcement.value = PARTS.pickerRemovedOne(short(last, 60));
    }
  };

  let number = -1;
  return (
    <div class="field">
      <label for="crawlers">{PARTS.pickerLabel}</label>
      <div
        class="picker"
        ref={box}
        onFocusOut={(event) => {
          if (!box.current?.contains(event.relatedTarget as Node | null)) isOpen.value = false;
        }}
      >
        <ul class="chips" aria-label={PARTS.pickerChosen}>
          {agents.value.slice(0, 40).map((agent) => (
            <li key={agent}>
              <span class="chip">
                {agent === "*" ? ANYONE : short(agent, 60)}
                <button
                  type="button"
                  aria-label={PARTS.pickerRemove(short(agent, 60))}
                  onClick={() => {
                    agents.value = agents.value.filter((other) => other !== agent);
                    input.current?.focus();
                    isOpen.value = false;
                  }}
                >
                  <svg viewBox="0 0 16 16" aria-hidden="true">
                    <path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />
                  </svg>
                </button>
              </span>
            </li>
          ))}
          {agents.value.length > 40 && <li class="note">{andMore(agents.value.length - 40)}</li>}
        </ul>
        <div class="picker-input">
          <input
            id="crawlers"
            ref={input}
            type="text"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            autocapitalize="off"
            placeholder={PARTS.pickerPlaceholder}
            aria-autocomplete="list"
            aria-expanded={isOpen.value}
            aria-controls="crawler-list"
            {...(isOpen.value && here >= 0 ? { "aria-activedescendant": `crawler-${here}` } : {})}
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
              active.value = 0;
              isOpen.value = true;
            }}
            onClick={() => (isOpen.value = true)}
            onKeyDown={onKeyDown}
          />
          {agents.value.length > 1 && (
            <button type="button" class="quiet" onClick={() => (agents.value = [])}>
              {PARTS.pickerRemoveAll()}
            </button>
          )}
        </div>
        <div
          id="crawler-list"
          class="options"
          role="listbox"
          aria-label={PARTS.pickerLabel}
          aria-multiselectable="true"
          hidden={!isOpen.value}
        >
          {sections.value.map((section, nth) => (
            <div key={section.title} role="group" aria-labelledby={`crawler-group-${nth}`}>
              <div class="options-title" id={`crawler-group-${nth}`} role="presentation">
                {section.title}
              </div>
              {section.options.map((option) => {
                number += 1;
                const mine = number;
                return (
                  <div
                    key={option.key}
                    id={`crawler-${mine}`}
                    role="option"
                    aria-selected={has(option)}
                    class={`option${mine === here ? " active" : ""}${option.whole ? " whole" : ""}`}
                    // Keeps the focus in the field.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => {
                      active.value = mine;
                      toggle(option);
                    }}
                  >
                    <span class="tick" aria-hidden="true">
                      {has(option) ? "✓" : ""}
                    </span>
                    <span class="option-label">{short(option.label, 60)}</span>
                    <span class="option-aside">{option.aside}</span>
                  </div>
                );
              })}
            </div>
          ))}
          {list.length === 0 && <p class="note">{PARTS.pickerNothing}</p>}
        </div>
      </div>
    </div>
  );
}
