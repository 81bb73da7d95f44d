import '../styles/site.css';
import { tellOfDays } from './days.ts';
import { keepCurrent } from './keep-current.ts';
import { offerThemes } from './theme.ts';
import { useOwnZone } from './zone.ts';

// Everything here only improves on a page that is complete without it.
offerThemes();
tellOfDays();
const refresh = keepCurrent();
if (useOwnZone()) void refresh();
