/** A client of the real language server, with the library that the extension's own client is built on. */

import { spawn } from "node:child_process";
import path from "node:path";
import protocol from "vscode-languageserver-protocol/node.js";

const root = path.resolve(import.meta.dirname, "../../..");

/** The command: that of the variable COMITY, which is relative to the folder of the extension, or a debug build. */
export const COMITY = path.resolve(import.meta.dirname, "..", process.env.COMITY ?? path.join(root, "target/debug/comity"));

export const URI = "file:///site/robots.txt";

/** A session of an editor with the server. */
export class Session {
  #server;
  #connection;
  #version = 0;
  #waiting = [];

  /** Starts a server for a test, which ends it at the latest. */
  static async start(test) {
    const session = new Session();
    session.#server = spawn(COMITY, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    test.after(() => session.#server.kill());
    session.#connection = protocol.createProtocolConnection(
      new protocol.StreamMessageReader(session.#server.stdout),
      new protocol.StreamMessageWriter(session.#server.stdin),
    );
    session.#connection.onNotification(protocol.PublishDiagnosticsNotification.type, (published) => session.#waiting.shift()?.(published));
    session.#connection.listen();
    const capabilities = { textDocument: { publishDiagnostics: { versionSupport: true }, hover: { contentFormat: ["markdown"] } } };
    session.about = await session.#connection.sendRequest(protocol.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities });
    await session.#connection.sendNotification(protocol.InitializedNotification.type, {});
    return session;
  }

  /** Opens the file, or replaces its text. Returns the diagnostics. */
  async type(text) {
    const published = new Promise((resolve) => this.#waiting.push(resolve));
    this.#version += 1;
    if (this.#version === 1) {
      const textDocument = { uri: URI, languageId: "robots", version: 1, text };
      await this.#connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument });
    } else {
      const textDocument = { uri: URI, version: this.#version };
      await this.#connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, { textDocument, contentChanges: [{ text }] });
    }
    const { version, diagnostics } = await published;
    if (version !== this.#version) throw new Error(`diagnostics of version ${version} instead of ${this.#version}`);
    return diagnostics;
  }

  async hover(line, character) {
    const hover = await this.#connection.sendRequest(protocol.HoverRequest.type, { textDocument: { uri: URI }, position: { line, character } });
    return hover?.contents.value ?? null;
  }

  async completions(line, character) {
    const items = await this.#connection.sendRequest(protocol.CompletionRequest.type, { textDocument: { uri: URI }, position: { line, character } });
    return items.map(({ label }) => label);
  }

  async actions(range) {
    return this.#connection.sendRequest(protocol.CodeActionRequest.type, { textDocument: { uri: URI }, range, context: { diagnostics: [] } });
  }

  async symbols() {
    return this.#connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri: URI } });
  }

  /** Ends the session. Returns the exit code of the server. */
  async end() {
    const code = new Promise((resolve) => this.#server.once("exit", resolve));
    await this.#connection.sendRequest(protocol.ShutdownRequest.type);
    await this.#connection.sendNotification(protocol.ExitNotification.type);
    return code;
  }
}
