import { describe, expect, test } from 'vitest';
import { html } from './html.ts';

describe('a template', () => {
  test('escapes every text, in text and attributes', () => {
    const hostile = `<script>alert('x')</script>" onload="y" & '`;
    expect(html`<p title="${hostile}">${hostile}</p>`.toString()).toBe(
      '<p title="&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;y&quot; &amp; &#39;">' +
        '&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;y&quot; &amp; &#39;</p>',
    );
  });

  test('escapes texts in lists, and leaves templates in templates as they are', () => {
    expect(html`<ul>${['<a>', html`<b>${'&'}</b>`, [html`<i></i>`]]}</ul>`.toString()).toBe(
      '<ul>&lt;a&gt;<b>&amp;</b><i></i></ul>',
    );
  });

  test('leaves nothing behind for what is absent, and shows zero', () => {
    expect(html`a${undefined}${false}${0}`.toString()).toBe('a0');
  });
});
