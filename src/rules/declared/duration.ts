/** ISO 8601 durations. A year counts as 365 days and a month as 30. */
const FORM =
  /^P(?!$)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?!$)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const DAY = 86_400_000;
const UNITS = [365 * DAY, 30 * DAY, 7 * DAY, DAY, 3_600_000, 60_000, 1000];

/** Milliseconds; null where the text is no duration. */
export function durationMs(text: string): number | null {
  const parts = text.length <= 64 ? FORM.exec(text) : null;
  if (!parts) return null;
  return UNITS.reduce((sum, unit, i) => sum + Number(parts[i + 1] ?? 0) * unit, 0);
}
