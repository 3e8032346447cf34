/** Headers of what a browser shows as a page: it loads nothing from elsewhere, runs nothing that was slipped in, and stands in no frame. */
import { createHash } from 'node:crypto';

/** What a page needs besides files of ours, as the policy spells it: hashes, `data:`. */
export interface PageSources {
  scripts?: readonly string[];
  styles?: readonly string[];
  images?: readonly string[];
  /** No text may become markup: names and values that a page shows are anybody's. */
  isTextOnly?: boolean;
}

const TEXT_ONLY = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

export function pageHeaders({
  scripts = [],
  styles = [],
  images = [],
  isTextOnly = false,
}: PageSources = {}) {
  const policy = [
    "default-src 'none'",
    `script-src ${["'self'", ...scripts].join(' ')}`,
    `style-src ${["'self'", ...styles].join(' ')}`,
    `img-src ${["'self'", ...images].join(' ')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...(isTextOnly ? TEXT_ONLY : []),
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

/** What stands in a page between `<script>` or `<style>` without attributes and its end, as sources of the policy. */
export function inlineHashes(html: string, element: 'script' | 'style'): string[] {
  const found = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'));
  return [...found].map(([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`);
}
