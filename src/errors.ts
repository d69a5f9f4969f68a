/** An error whose message is meant for the operator: one sentence that says what to do next. No stack is shown. */
export class OperatorError extends Error {
  override name = "OperatorError";
  /** Process exit code. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 2, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
