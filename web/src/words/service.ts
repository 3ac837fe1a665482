/** The texts about a service or a module that does not answer. Its other refusals are sentences of the service itself. */

export const SERVICE = {
  silent: "The service does not answer.",
  silentNow: "The service does not answer now.",
  status: (status: number) => `The service answered with status ${status}.`,
  tooMuch: (detail: string) => `That is more than this service takes. ${detail}`,
  unreadable: "The answer could not be read.",
};

/** Apart from the others, because the worker needs no more than this. */
export const MODULE_FAILED = "The text could not be examined, which is a bug of this page.";
