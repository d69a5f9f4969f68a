/** The parts of Slack's payloads that are read here. Everything is optional: they come from outside. */

export interface RawBlock {
  type?: string;
  text?: string;
  url?: string;
  user_id?: string;
  channel_id?: string;
  usergroup_id?: string;
  range?: string;
  name?: string;
  fallback?: string;
  elements?: RawBlock[];
}

export interface RawFile {
  id?: string;
  name?: string | null;
  title?: string;
  mimetype?: string;
  size?: number;
  mode?: string;
  url_private?: string;
  url_private_download?: string;
}

export interface RawAttachment {
  is_share?: boolean;
  is_msg_unfurl?: boolean;
  text?: string;
  fallback?: string;
  author_name?: string;
  files?: RawFile[];
}

export interface RawMessage {
  type?: string;
  subtype?: string;
  hidden?: boolean;
  channel?: string;
  channel_type?: string;
  team?: string;
  user?: string | null;
  bot_id?: string | null;
  bot_profile?: unknown;
  ts?: string;
  event_ts?: string;
  thread_ts?: string;
  text?: string;
  blocks?: RawBlock[];
  attachments?: RawAttachment[];
  files?: RawFile[];
  edited?: { user?: string; ts?: string };
  message?: RawMessage;
  previous_message?: RawMessage;
}

export interface RawBody {
  type?: string;
  team_id?: string;
  event?: RawMessage;
}

export interface RawCommand {
  team_id?: string;
  channel_id?: string;
  user_id?: string;
  user_name?: string;
  text?: string;
  trigger_id?: string;
}

export interface RawAction {
  type?: string;
  value?: string;
  action_ts?: string;
}

export interface RawPress {
  team?: { id?: string } | null;
  user?: { id?: string; name?: string; username?: string; team_id?: string };
  channel?: { id?: string };
  container?: { channel_id?: string; message_ts?: string; thread_ts?: string };
  message?: { ts?: string; thread_ts?: string };
  actions?: RawAction[];
  response_url?: string;
}
