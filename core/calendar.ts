/**
 * The proleptic Gregorian calendar on day numbers (days since 1970-01-01), by arithmetic alone: a recurrence rule asks of
 * millions of days. All fields are those of RFC 5545: months and days from 1, `weekday` 0 is Monday.
 */
export interface CalendarDay {
  number: number;
  year: number;
  month: number;
  day: number;
  weekday: number;
  yearDay: number;
  monthLength: number;
  yearLength: number;
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The day with this number. */
export function calendarDay(number: number): CalendarDay {
  const year = yearOf(number);
  const yearStart = dayNumber(year, 1, 1);
  const leap = isLeap(year) ? 1 : 0;
  const yearDay = number - yearStart + 1;
  let month = 1;
  let before = 0;
  let monthLength = 31;
  while (yearDay > before + monthLength) {
    before += monthLength;
    month += 1;
    monthLength = (MONTH_LENGTHS[month - 1] ?? 31) + (month === 2 ? leap : 0);
  }
  return {
    number,
    year,
    month,
    day: yearDay - before,
    weekday: modulo(number + 3, 7),
    yearDay,
    monthLength,
    yearLength: 365 + leap,
  };
}

/** The number of the day; a `month` beyond 12 counts on into the next years. */
export function dayNumber(year: number, month: number, day: number): number {
  const years = year + Math.floor((month - 1) / 12);
  const past = years - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  let days = past * 365 + leapDays - 719_162;
  for (let m = 1; m <= modulo(month - 1, 12); m += 1)
    days += (MONTH_LENGTHS[m - 1] ?? 0) + (m === 2 && isLeap(years) ? 1 : 0);
  return days + day - 1;
}

/** The remainder with the sign of the divisor. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

function yearOf(number: number): number {
  // Right, or one too high or too low: the mean year is 365.2425 days.
  const guess = 1970 + Math.floor(number / 365.2425);
  if (number < dayNumber(guess, 1, 1)) return guess - 1;
  return number >= dayNumber(guess + 1, 1, 1) ? guess + 1 : guess;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
