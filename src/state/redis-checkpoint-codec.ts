/** Checkpoints as the fields and bytes that redis-scripts-checkpoints.ts describes. */
import type { Links, Packed, StoredCheckpoint, StoredWrite } from "./checkpoints-storage.ts";

export function fieldOf(writer: string, channel: string): string {
  return `${writer}/${encodeURIComponent(channel)}`;
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** `type:body` */
export function packed({ type, body }: Packed): Buffer {
  return Buffer.concat([Buffer.from(`${type}:`), body]);
}

function unpacked(bytes: Buffer): Packed {
  const colon = bytes.indexOf(":");
  return { type: bytes.toString("utf8", 0, colon), body: bytes.subarray(colon + 1) };
}

export function writeField(checkpoint: string, { task, idx }: StoredWrite): string {
  return `${checkpoint}/${encodeURIComponent(task)}/${idx}`;
}

/** `path/channel/type:body` */
export function writeValue(write: StoredWrite): Buffer {
  const head = `${encodeURIComponent(write.path)}/${encodeURIComponent(write.channel)}/`;
  return Buffer.concat([Buffer.from(head), packed(write)]);
}

function writeFrom([field, bytes]: [Buffer, Buffer]): StoredWrite {
  const [, task = "", idx] = field.toString().split("/");
  const afterPath = bytes.indexOf("/") + 1;
  const afterChannel = bytes.indexOf("/", afterPath) + 1;
  return {
    task: decodeURIComponent(task),
    idx: Number(idx),
    path: decodeURIComponent(bytes.toString("utf8", 0, afterPath - 1)),
    channel: decodeURIComponent(bytes.toString("utf8", afterPath, afterChannel - 1)),
    ...unpacked(bytes.subarray(afterChannel)),
  };
}

/** Lines: parent, delta channels, then `writer/channel` of each value. */
export function linksFrom(id: string, lines: string): Links {
  const [parent = "", delta = "", ...fields] = lines.split("\n");
  const refs = fields
    .filter((field) => field !== "")
    .map((field): [string, string] => {
      const [writer = "", channel = ""] = field.split("/");
      return [decodeURIComponent(channel), writer];
    });
  return {
    id,
    parent: parent === "" ? undefined : parent,
    refs: Object.fromEntries(refs),
    delta: delta.split(",").filter(Boolean).map(decodeURIComponent),
  };
}

export function storedFrom(reply: unknown): StoredCheckpoint {
  // One element of the reply of `load` or `chain`.
  const [id, links, body, metadata, values, writes] = reply as [Buffer, Buffer, Buffer, Buffer, Buffer[], Buffer[]];
  return {
    ...linksFrom(id.toString(), links.toString()),
    body,
    metadata,
    values: pairs(values).map(([field, bytes]) => ({
      channel: decodeURIComponent(field.toString().split("/")[1] ?? ""),
      ...unpacked(bytes),
    })),
    writes: pairs(writes).map(writeFrom),
  };
}

function pairs(flat: Buffer[]): [Buffer, Buffer][] {
  const found: [Buffer, Buffer][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const [field, value] = [flat[index], flat[index + 1]];
    if (field && value) found.push([field, value]);
  }
  return found;
}
