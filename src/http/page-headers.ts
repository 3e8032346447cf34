/** Security headers of pages: a page loads nothing from other hosts, runs no injected script, and cannot be in a frame. */
import { createHash } from 'node:crypto';

/** Sources that a page needs besides our own files, as in the policy: hashes, `data:`. */
export interface PageSources {
  scripts?: readonly string[];
  styles?: readonly string[];
  images?: readonly string[];
  /** Forbids turning text into markup, because the page shows names and values of others. */
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

/** Policy sources for the contents of `<script>` or `<style>` elements without attributes. */
export function inlineHashes(html: string, element: 'script' | 'style'): string[] {
  const found = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'));
  return [...found].map(([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`);
}
