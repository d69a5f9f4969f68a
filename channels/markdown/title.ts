// Untracked placeholder of the Discord helper, only until the text helper writes `threadTitle` somewhere. Overwrite it.
export function threadTitle(text: string): string {
  return (
    text
      .replace(/<@!?\d+>/g, "")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 100) || "New conversation"
  );
}
