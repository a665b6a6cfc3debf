// App data on the wire: base64 of one gzip member of a UTF-8 JSON document.

import { Failure } from "./failure.ts";

/** What comes out of decompression may not be larger: a small text can hold gigabytes. */
export const maxDocumentBytes = 64 * 1024 * 1024;

/** decodeAppData answers the JSON value. It fails with bad_data, or with too_large above maxBytes. */
export async function decodeAppData(text: string, maxBytes = maxDocumentBytes): Promise<unknown> {
  const json = await decompress(fromBase64(text), maxBytes);
  try {
    return JSON.parse(json);
  } catch {
    throw new Failure("bad_data", "app data is no JSON");
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let characters: string;
  try {
    characters = atob(text);
  } catch {
    throw new Failure("bad_data", "app data is no base64");
  }
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

async function decompress(bytes: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<string> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let json = "";
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) {
        void reader.cancel();
        throw new Failure("too_large", `app data has more than ${maxBytes} bytes`);
      }
      json += decoder.decode(value, { stream: true });
    }
    return json + decoder.decode();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("bad_data", "app data is no gzip of UTF-8");
  }
}
