/** What Discord refuses in a message. Codes and field errors as the real API answers them. */
import { IS_COMPONENTS_V2, type MessagePayload, type WireComponent } from "./discord-world.ts";

export interface Refusal {
  status: number;
  code: number;
  message: string;
  errors?: object;
}

const V2_ONLY = new Set([9, 10, 11, 12, 13, 14, 17]);
const TEXT_DISPLAY = 10;
const ACTION_ROW = 1;
const BUTTON = 2;

export function refuseMessage(payload: MessagePayload, files: number, wasV2: boolean): Refusal | undefined {
  const v2 = wasV2 || ((payload.flags ?? 0) & IS_COMPONENTS_V2) !== 0;
  const components = payload.components ?? [];
  return refuseText(payload, v2) ?? refuseComponents(components, v2) ?? refuseEmpty(payload, files, v2);
}

function refuseText(payload: MessagePayload, v2: boolean): Refusal | undefined {
  const content = payload.content ?? "";
  if (v2 && (content !== "" || payload.embeds?.length)) {
    return invalid("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "Not with IS_COMPONENTS_V2");
  }
  if (content.length > 2000) return tooLong("content", 2000);
  if (String(payload.nonce ?? "").length > 25) return tooLong("nonce", 25);
  return undefined;
}

function refuseEmpty(payload: MessagePayload, files: number, v2: boolean): Refusal | undefined {
  if (v2) return payload.components?.length ? undefined : EMPTY;
  const hasText = (payload.content ?? "").trim() !== "";
  return hasText || files > 0 || payload.components?.length ? undefined : EMPTY;
}

const EMPTY: Refusal = { status: 400, code: 50006, message: "Cannot send an empty message" };

function refuseComponents(components: WireComponent[], v2: boolean): Refusal | undefined {
  const all = flatten(components);
  if (!v2 && all.some(({ type }) => V2_ONLY.has(type))) {
    return invalid("components", "COMPONENT_TYPE_NOT_ALLOWED", "Needs IS_COMPONENTS_V2");
  }
  if (v2 && all.length > 40) return tooLong("components", 40);
  if (!v2 && components.length > 5) return tooLong("components", 5);
  const ids = all.flatMap(({ custom_id }) => custom_id ?? []);
  if (new Set(ids).size < ids.length) {
    return invalid("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
  }
  const text = all.reduce((sum, part) => sum + (part.type === TEXT_DISPLAY ? (part.content ?? "").length : 0), 0);
  if (text > 4000) return tooLong("components", 4000);
  for (const part of all) {
    const refusal = refuseComponent(part);
    if (refusal) return refusal;
  }
  return undefined;
}

function refuseComponent(part: WireComponent): Refusal | undefined {
  const children = part.components ?? [];
  if (part.type === TEXT_DISPLAY && (part.content ?? "").trim() === "") {
    return invalid("components.content", "BASE_TYPE_REQUIRED", "This field is required");
  }
  if (part.type === ACTION_ROW && (children.length < 1 || children.length > 5)) {
    return invalid("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
  }
  if (part.type !== BUTTON) return undefined;
  if ((part.label ?? "").length > 80) return tooLong("components.label", 80);
  if ((part.label ?? "") === "") return invalid("components.label", "BUTTON_COMPONENT_INVALID", "A label is needed");
  const id = part.custom_id ?? "";
  return id.length < 1 || id.length > 100 ? tooLong("components.custom_id", 100) : undefined;
}

export function flatten(components: WireComponent[]): WireComponent[] {
  return components.flatMap((part) => [
    part,
    ...flatten(part.components ?? []),
    ...flatten(part.accessory ? [part.accessory] : []),
  ]);
}

function tooLong(field: string, limit: number): Refusal {
  return invalid(field, "BASE_TYPE_MAX_LENGTH", `Must be ${limit} or fewer in length.`);
}

export function invalid(field: string, code: string, message: string): Refusal {
  const errors = field
    .split(".")
    .reduceRight<object>((inner, key) => ({ [key]: inner }), { _errors: [{ code, message }] });
  return { status: 400, code: 50035, message: "Invalid Form Body", errors };
}
