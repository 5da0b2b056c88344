// Times as the server writes them into JSON, in the zone of the session.

const TIME = /^(\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)( BC)?$/;

/**
 * A time as a Date, which has milliseconds. A time beyond the range of Date (`infinity`) becomes JavaScript's invalid
 * Date: an error would keep all entries from being read because of one time.
 */
export function dateOf(text: string): Date {
  const parts = TIME.exec(text);
  if (parts !== null) {
    const [year, month, day, hours, minutes, seconds] = parts.slice(1, 7).map(Number) as [
      number, number, number, number, number, number,
    ];
    const date = new Date(0);
    // Date.UTC would interpret the year 99 as 1999.
    date.setUTCFullYear(parts[13] === undefined ? year : 1 - year, month - 1, day);
    date.setUTCHours(hours, minutes, seconds, Number((parts[7] ?? "").padEnd(3, "0").slice(0, 3)));
    const offsetSeconds = [10, 11, 12].reduce((sum, place) => sum * 60 + Number(parts[place] ?? 0), 0);
    date.setTime(date.getTime() - (parts[9] === "-" ? -1000 : 1000) * offsetSeconds);
    return date;
  }
  return new Date(NaN);
}
