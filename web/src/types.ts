/** The answers of the service, with the fields that the page uses. The full schema is in /openapi.json. */

export type Answer = "allowed" | "disallowed" | "not-governed" | "out-of-scope";
export type Basis = "own-token" | "fallback-token" | "merged-tokens" | "star" | "star-ignored" | "nothing";

export interface Verdict {
  answer: Answer;
  allowed: boolean | null;
  reason: string;
  /** The line that decides; null if none does. */
  line: number | null;
  rule: "allow" | "disallow" | null;
  priority: number | null;
  basis: Basis;
  names_crawler: boolean;
  advisory: boolean;
}

export interface Considered {
  line: number;
  kind: "allow" | "disallow";
  value: string;
  pattern: string;
  priority: number;
  matches: boolean;
  rank: number | null;
}

export interface Explanation {
  dialect: string;
  tokens: string[];
  token: string | null;
  path: string;
  groups: { line: number; value: string }[];
  rules: Considered[];
}

export interface CheckRow extends Verdict {
  url: string;
  asked: string;
  agent: string;
  known: boolean;
  text: string | null;
  crawl_delay: number | null;
  /** The answer in the dialect of the crawler's own operator, if it differs. */
  operator_answer?: { operator: string; answer: Answer; line: number | null; sentence: string };
  explanation?: Explanation;
}

/** A result in one or two sentences. */
export interface Headline {
  tone: "good" | "neutral" | "caution" | "bad";
  text: string;
}

export interface CheckAnswer {
  dialect: string;
  size: string;
  origin: string | null;
  origin_is_assumed: boolean;
  answers: CheckRow[];
}

export interface MatrixRow {
  url: string;
  asked: string;
  agent: string;
  known: boolean;
  group: string;
  dialects: Record<string, Verdict>;
  differences: { dialect: string; because: string }[];
}

export interface MatrixAnswer {
  rows: MatrixRow[];
}

export interface Edit {
  span: { start: number; end: number };
  text: string;
}

export interface Finding {
  code: string;
  name: string;
  severity: "error" | "warning" | "note";
  line: number;
  span: { start: number; end: number };
  message: string;
  help: string | null;
  affects: string;
  related: { line: number; because: string }[];
  fix: { title: string; safety: "safe" | "unsafe"; blocks_site: boolean; edits: Edit[] } | null;
}

export interface LintAnswer {
  headline: Headline;
  findings: Finding[];
  ignored: number;
  bounded: unknown[];
  fixed: string | null;
}

export interface Lint {
  code: string;
  name: string;
  severity: string;
  summary: string;
  docs: string;
}

export interface Rule {
  line: number;
  kind: "allow" | "disallow";
  value: string;
  pattern: string;
  never_matches: string | null;
}

export interface InspectAnswer {
  headline: Headline;
  bytes: number;
  lines: number;
  size: string;
  looks_like_html: boolean;
  groups: { agents: { line: number; value: string; token: string }[]; rules: Rule[] }[];
  sitemaps: FileRecord[];
  records: FileRecord[];
  ignored: { line: number; text: string; because: string }[];
  notes: { line: number; note: string }[];
}

export interface FileRecord {
  line: number;
  field: string;
  name: string;
  value: string;
  group: number | null;
  without_effect: string | null;
}

export type Use = "training" | "search" | "agent";

export interface AiRow {
  token: string;
  operator: string;
  uses: Use[];
  is_for_ai: boolean;
  governed: Governed;
  reach: "all" | "most" | "some" | "nothing" | "not-governed";
  line: number | null;
  exceptions: number;
  basis: Basis;
  content_signal: Record<string, { says: boolean; line: number }>;
  content_usage: Record<string, { says: string; line: number }>;
}

export interface AiAnswer {
  headline: Headline;
  crawlers: AiRow[];
  preferences: { line: number; text: string; agents: string[] | null; understood: boolean }[];
  licenses: { line: number; text: string }[];
}

export interface ExchangeFacts {
  url: string;
  probe: boolean;
  peer: string | null;
  protocol: string | null;
  status: number | null;
  fields: [string, string][];
  bytes: number;
  head_ms: number;
  body_ms: number;
  failure: string | null;
  detail: string | null;
}

export interface FetchLog {
  headline: Headline;
  steps: ExchangeFacts[];
  origin: string;
  robots_url: string;
  access: "rules" | "allow-all" | "disallow-all" | string;
  event: string;
  status: number | null;
  row: string;
  source: string;
  /** The time for which the site has failed, as a step of the policy; null if it has not failed. */
  rung: "first" | "then" | "unconfirmed" | "last" | null;
  policy: string;
  detail: string | null;
  size: number | null;
  fetched: string | null;
  due: string | null;
  /** True if the file is longer than crawlers read. */
  is_cut: boolean;
  /** True if it looks like a web page. */
  looks_like_html: boolean;
  /** The effect if the site goes on failing, in words. */
  if_it_lasts: string | null;
  body?: string | null;
  body_b64?: string | null;
}

export type Governed = "yes" | "no" | "unstated" | "may-bypass" | "control-token";

export interface Crawler {
  token: string;
  operator: string;
  purpose: string;
  fallback: string[];
  obeys_star: boolean;
  governed: Governed;
  crawl_delay: string;
  retired: boolean;
  note: string;
}

export interface Service {
  version: string;
  dialects: { name: string; about: string }[];
  policies: { name: string; about: string }[];
  dialect: string;
  policy: string;
  fetches: boolean;
  limits: { body_bytes: number; urls: number; agents: number; questions: number };
}

/** A rule of one of two files. */
export interface DiffRule {
  file: "old" | "new";
  /** The line; null if there is no rule, and the URLs are allowed because none matches. */
  line: number | null;
  pattern: string;
}

/** A rule whose URLs keep their answers, except those that match a rule in `unless`. */
export interface DiffException extends DiffRule {
  unless: DiffRule[];
}

export interface DiffChange {
  to: "blocked" | "allowed";
  crawlers: string[];
  dialects: string[];
  rule: DiffRule;
  narrowed_by: DiffRule[];
  except: DiffException[];
  exact: boolean;
  /** False if no browser or crawler sends such a URL. */
  sent: boolean;
  witness: string;
}

export interface DiffSignal {
  record: string;
  key: string;
  crawlers: string[];
  old: { granted: boolean; line: number } | null;
  new: { granted: boolean; line: number } | null;
  witness: string;
}

export interface DiffAnswer {
  headline: Headline;
  outcome: "same" | "differs" | "undecided";
  dialects: string[];
  is_by_operator: boolean;
  looks_like_html: ("old" | "new")[];
  changes: DiffChange[];
  omitted?: { blocked: number; allowed: number };
  signals: DiffSignal[];
  beside: {
    sitemaps: { added: string[]; removed: string[] };
    crawl_delay: { crawlers: string[]; old: number | null; new: number | null }[];
  };
  crawlers: string[];
  undecided: string[];
  critical_urls: number;
}

export interface PagePermission {
  stance: "not-stated" | "yes" | "no" | "hidden";
  because: { source: string; line: number | null; text: string }[];
}

/** A rule that a page states in its header or in a meta tag. */
export interface PageStatement {
  source: string;
  line: number | null;
  agent: string | null;
  text: string;
  rule: string;
  because?: string;
}

/** A file that a page loads. */
export interface ResourceRow {
  kind: "style" | "script" | "image";
  url: string;
  answer: Answer | null;
  line: number | null;
  error?: string;
}

export interface PageAnswer {
  headline: Headline;
  resources_headline?: Headline;
  /** The URLs that redirects led to. */
  redirects: { url: string; status: number; allowed: boolean | null }[];
  /** The URL that the page names as the original. */
  canonical?: string;
  url: string;
  agent: string;
  robots: string;
  found_at?: string;
  /** False if the page redirects to where the crawler may not fetch it; absent if it does not redirect. */
  found_at_allowed?: boolean;
  status?: number;
  fetch: Verdict;
  /** The rule that decides, as written in the site's file. */
  text?: string;
  index: PagePermission;
  follow: PagePermission;
  training: PagePermission;
  ai_input: PagePermission;
  search: PagePermission;
  conflicts: { conflict: string }[];
  applied: PageStatement[];
  ignored: PageStatement[];
  others: PageStatement[];
  notes: string[];
  resources: ResourceRow[];
}

export interface SitemapRow {
  line: number;
  url: string;
  sitemap: boolean;
  file?: "image" | "video" | "alternate";
  agent?: string;
  problem: string | null;
  verdict: Verdict | null;
  outside: string | null;
}

export interface SitemapsAnswer {
  headline: Headline;
  robots: string;
  agent: string;
  origin: string | null;
  named: { line: number; url: string; problem: string | null; verdict: Verdict | null }[];
  sitemaps: {
    file: string;
    format: string;
    allowed: number;
    disallowed: number;
    no_verdict: number;
    problems: number;
    sitemaps: number;
    outside: number;
    files_disallowed: number;
    entries: SitemapRow[];
    error: string | null;
  }[];
  left_out: number;
}

export interface GenerateAnswer {
  text: string;
  checked: string[];
  changes?: DiffAnswer;
}

/** The addresses of a site: http and https, with and without www. */
export interface VariantsAnswer {
  headline: Headline;
  sites: { origin: string; event: string | null; hash: string | null; same: boolean | null; open: Headline | null }[];
}

/** The record of a site in the store of the service. */
export interface OriginAnswer {
  headline?: Headline;
}

/** A version of a site's file, as the service has seen it. */
export interface Version {
  first_seen: string;
  last_seen: string;
  event: string;
  url: string | null;
  size: number | null;
  hash: string | null;
}

/** The fetched versions of a site's file, the newest first. */
export interface SiteVersions {
  origin: string;
  versions: Version[];
}
