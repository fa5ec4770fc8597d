import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { type Component, defineAsyncComponent, h } from 'vue';
import { MarkdownLink } from './markdown-link.ts';
import './style.css';

/** Components that pages can use by name. A page loads only the components that it uses. */
const components = import.meta.glob<Component>('./components/*.vue');

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
  enhanceApp({ app }) {
    for (const [path, load] of Object.entries(components)) {
      const name = path.slice('./components/'.length, -'.vue'.length);
      app.component(name, defineAsyncComponent(load));
    }
  },
};

export default theme;
