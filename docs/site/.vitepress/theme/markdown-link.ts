import { useData, withBase } from 'vitepress';
import { defineComponent, h } from 'vue';

/** The link below each page to its Markdown version. */
export const MarkdownLink = defineComponent(() => {
  const { page } = useData();
  return () => {
    const href = withBase(`/${page.value.relativePath}`);
    return h('p', { class: 'markdown-link' }, h('a', { href, target: '_self' }, 'This page as Markdown'));
  };
});
