// Starts the server of the extension whose folder is the argument, as the extension does in Node,
// and prints its answer to the first request.
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Worker } = require("node:worker_threads");
const { gunzipSync } = require("node:zlib");

const dist = join(process.argv[2], "dist");
const worker = new Worker(join(dist, "worker.js"));
worker.on("error", (error) => { throw error; });
worker.on("message", (message) => {
  if ("broken" in message) throw new Error(message.broken);
  if ("started" in message) {
    worker.postMessage({ lsp: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: {} } }) });
  }
  if ("lsp" in message && JSON.parse(message.lsp).id === 1) {
    console.log(message.lsp);
    process.exit(0);
  }
});
worker.postMessage({ engine: new WebAssembly.Module(gunzipSync(readFileSync(join(dist, "inev-ls.wasm.gz")))) });
