/** The texts about a service or a module that does not answer. Its other refusals are sentences of the service itself. */

export const silent = "The service does not answer.";
export const silentNow = "The service does not answer now.";
export const status = (status: number) => `The service answered with status ${status}.`;
export const tooMuch = (detail: string) => `That is more than this service takes. ${detail}`;
export const unreadable = "The answer could not be read.";

/** Apart from the others, because the worker needs no more than this. */
export const moduleFailed = "The text could not be examined, which is a bug of this page.";
