/** Returns a description of a value that was found instead of another one. */
export function described(value: unknown): string {
  if (typeof value === "string") return `\`${value.length > 80 ? `${value.slice(0, 80)}…` : value}\``;
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : "an object";
}
