/** The errors of the package. None of them ever means "allowed". */

/** The base of all errors of the package. */
export class ComityError extends Error {
  override name = "ComityError";
}

/** The error for a body that is neither text nor bytes. */
export class InvalidBody extends ComityError {
  override name = "InvalidBody";
}

/** The error for text that is neither a URL nor a path, and for a value that is no text. */
export class InvalidUrl extends ComityError {
  override name = "InvalidUrl";
}

/** The error for text that is no product token of a crawler, such as a `User-Agent` header. */
export class InvalidCrawler extends ComityError {
  override name = "InvalidCrawler";

  constructor(
    message: string,
    /** The token that is probably meant, or `null`. */
    readonly suggestion: string | null = null,
  ) {
    super(message);
  }
}

/** The error for text that is no pattern of a rule. */
export class InvalidPattern extends ComityError {
  override name = "InvalidPattern";
}

/** The error for an option with a value that it cannot have, such as an unknown dialect. */
export class InvalidOption extends ComityError {
  override name = "InvalidOption";
}

/**
 * The error for a platform without WebAssembly, for one with a policy that forbids it, and for a bundle that lacks the
 * module. `cause` is the error of the platform.
 */
export class NoWebAssembly extends ComityError {
  override name = "NoWebAssembly";
}
