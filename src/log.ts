/** One JSON line per state change, to standard error or a file. Message bodies only at debug; secrets never. */
import pino from "pino";
import { redact } from "./redact.ts";

export interface Log {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
  child(fields: Record<string, string>): Log;
}

export interface LogOptions {
  level: "debug" | "info" | "warn" | "error" | "silent";
  file?: string | undefined;
  /** Values that must never be written, e.g. the configured tokens. */
  secrets?: string[];
}

export function createLog(options: LogOptions): Log {
  const sink = pino.destination({ dest: options.file ?? 2, mkdir: true, sync: true });
  const stream = { write: (line: string) => void sink.write(redact(line, options.secrets)) };
  return pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
