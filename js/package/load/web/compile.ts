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
    const module = await WebAssembly.compile(await response.arrayBuffer());
    return () => new WebAssembly.Instance(module).exports;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
