import { render } from 'preact';
import '../styles/manage.css';
import { App } from './app.tsx';
import { applyKeptTheme } from './settings/use-theme.ts';

applyKeptTheme();
const root = document.getElementById('app');
if (root) render(<App />, root);
