import { addressOf, jobsOf, overview, type Route, sources } from '../../route.ts';
import { Icon } from './icon.tsx';

const PLACES: { name: string; route: Route; pages: Route['page'][]; icon: string }[] = [
  {
    name: 'Overview',
    route: overview(),
    pages: ['overview'],
    icon: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  },
  {
    name: 'Sources',
    route: sources(),
    pages: ['sources', 'source'],
    icon: 'M12 4c4 0 8 1.200 8 3s-4 3-8 3-8-1.200-8-3 4-3 8-3zM4 7v5c0 1.800 4 3 8 3s8-1.200 8-3V7M4 12v5c0 1.800 4 3 8 3s8-1.200 8-3v-5',
  },
  {
    name: 'Jobs',
    route: jobsOf(null),
    pages: ['jobs', 'job'],
    icon: 'M5 6h2M5 12h2M5 18h2M11 6h9M11 12h9M11 18h9',
  },
  {
    name: 'Try it',
    route: { page: 'try', source: null },
    pages: ['try'],
    icon: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  },
  {
    name: 'Alerts',
    route: { page: 'alerts' },
    pages: ['alerts'],
    icon: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  },
  {
    name: 'Keys',
    route: { page: 'keys' },
    pages: ['keys'],
    icon: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l8-8M15 8l3 3',
  },
  { name: 'Billing', route: { page: 'billing' }, pages: ['billing'], icon: 'M3 6h18v12H3zM3 10h18M7 14h3' },
];

/** `sells`: whether there are plans to buy. */
export const Nav = ({ page, sells }: { page: Route['page']; sells: boolean }) => (
  <nav class="nav" aria-label="Main">
    <ul>
      {PLACES.filter(({ route }) => sells || route.page !== 'billing').map(({ name, route, pages, icon }) => (
        <li key={name}>
          <a href={addressOf(route)} {...(pages.includes(page) && { 'aria-current': 'page' })}>
            <Icon path={icon} />
            <span>{name}</span>
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
