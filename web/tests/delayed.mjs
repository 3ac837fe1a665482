/** A connection to a service that is far away: a proxy on loopback that delays all bytes. */

import net from "node:net";

/** Passes data on after half of the time that a question and its answer shall take. */
function pass(from, to, ms) {
  from.on("data", (data) => setTimeout(() => to.writable && to.write(data), ms / 2));
  from.on("end", () => setTimeout(() => to.end(), ms / 2));
  from.on("error", () => to.destroy());
}

/** Starts a proxy to a port. `ms` is the time by which questions and their answers take longer. */
export async function delayed(port, ms) {
  const open = new Set();
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    for (const socket of [client, service]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    pass(client, service, ms);
    pass(service, client, ms);
  });
  await new Promise((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop() {
      for (const socket of open) socket.destroy();
      return new Promise((done) => server.close(done));
    },
  };
}
