/** Input fields for URLs and sites. */

import type { RefObject } from "preact";
import { site } from "../state";
import * as FILE from "../words/file";

interface Props {
  id: string;
  placeholder: string;
  value: string;
  /** Receives the text whenever it changes. */
  onType: (text: string) => void;
  /** The element, if its owner moves the focus to it. */
  field?: RefObject<HTMLInputElement | null>;
  autocomplete?: "url";
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
}

/** A field with the keyboard for URLs, and without the corrections that phones make in sentences. */
export function UrlField({ onType, field, ...rest }: Props) {
  return (
    <input
      type="text"
      inputMode="url"
      autocapitalize="off"
      spellcheck={false}
      ref={field ?? null}
      {...rest}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  );
}

/** The field for the site to fetch. The forms that have it share one text. */
export function SiteField(props: { id: string; autocomplete?: "url" }) {
  return <UrlField {...props} placeholder={FILE.fetchPlaceholder} value={site.value} onType={(text) => (site.value = text)} />;
}
