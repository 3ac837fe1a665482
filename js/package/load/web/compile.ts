/**
 * Fetches and compiles a module. Returns a function that starts it, or that throws what went wrong: an import that
 * fails could not be told from a missing file.
 *
 * It is compiled from its bytes, since not every host sends the type that `compileStreaming` asks for.
 */
export async function compile(fetched: () => Promise<Response>): Promise<() => WebAssembly.Exports> {
  try {
    const response = await fetched();
    if (!response.ok) throw new Error(`${response.url} was answered with status ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // Many hosts answer with a page for a file that they do not have.
    if (bytes[0] !== 0 || bytes[1] !== 97) throw new Error(`${response.url} is no WebAssembly`);
    const module = await WebAssembly.compile(bytes);
    return () => new WebAssembly.Instance(module).exports;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
