/** JSON that is not rows but has them within, or that is an error message. Pure. */
import type { SignName } from './sign.ts';

const OPENS = /["{}[\]]/g;

/** Paths of members that hold arrays of objects, such as `data` or `response.items`, of an object that the text begins with; not those within arrays. */
export function arraysIn(text: string): string[] {
  const paths: string[] = [];
  const names: string[] = [];
  const stack: string[] = [];
  const isWithinArray = () => stack.includes('[');
  let name = '';
  OPENS.lastIndex = 0;
  for (let found = OPENS.exec(text); found !== null; found = OPENS.exec(text)) {
    const [mark] = found;
    if (mark === '"') {
      const end = stringEnd(text, found.index);
      const isName = /^\s*:/.test(text.slice(end, end + 100));
      if (isName && !isWithinArray()) name = nameIn(text.slice(found.index, end));
      OPENS.lastIndex = end;
    } else if (mark === '{' || mark === '[') {
      if (
        mark === '[' &&
        !isWithinArray() &&
        stack.length > 0 &&
        /^\[\s*\{/.test(text.slice(found.index, found.index + 100))
      )
        paths.push([...names, name].join('.'));
      if (mark === '{' && stack.length > 0 && !isWithinArray()) names.push(name);
      stack.push(mark);
    } else {
      stack.pop();
      if (mark === '}' && stack.length > 0 && !isWithinArray()) names.pop();
    }
  }
  return paths;
}

/** Behind the quote that closes the string at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function nameIn(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

/** Members of what services answer instead of data. */
const ERROR_NAMES = new Set(
  'error errors message msg code status statuscode status_code detail details reason title type timestamp path instance requestid request_id success ok exception trace description error_description documentation_url'.split(
    ' ',
  ),
);
const TELLING_NAMES = ['error', 'errors', 'exception', 'error_description'];
const STATUS_NAMES = ['status', 'code', 'statuscode', 'status_code'];

export function isErrorMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const members = Object.entries(value as object).map(([name, each]) => [name.toLowerCase(), each] as const);
  if (members.length === 0 || !members.every(([name]) => ERROR_NAMES.has(name))) return false;
  // A log has messages, too.
  const isFailed = ([name, each]: readonly [string, unknown]) =>
    STATUS_NAMES.includes(name) && Number(each) >= 400 && Number(each) < 600;
  return members.some(([name]) => TELLING_NAMES.includes(name)) || members.some(isFailed);
}

/** Names of members that hold rows in answers of services. */
const WRAPPERS = new Set('data results records rows features hits value payload response result'.split(' '));
/** A row of more members has a nested array of its own. */
const MOST_MEMBERS = 4;

/** What the only row of a batch may be instead; null for a row. */
export function signOfOnlyRow(row: unknown): SignName | null {
  if (isErrorMessage(row)) return 'error_message';
  if (row === null || typeof row !== 'object') return null;
  const members = Object.entries(row);
  const isWrapped = ([name, value]: [string, unknown]) =>
    WRAPPERS.has(name.toLowerCase()) && Array.isArray(value) && isObject(value[0]);
  return members.length <= MOST_MEMBERS && members.some(isWrapped) ? 'wrapped_rows' : null;
}

const isObject = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Whether each member is an array of plain values, all equally long: columns. */
export function isColumns(value: unknown): boolean {
  if (!isObject(value)) return false;
  const columns = Object.values(value as object);
  return (
    columns.length > 0 &&
    columns.every(
      column => Array.isArray(column) && column.length === columns[0].length && !isObject(column[0]),
    )
  );
}
