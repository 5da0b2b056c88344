"""A broken link is reported, in the pages' Markdown and on the site that is built from them."""
import os
import tempfile
import unittest

import check_site
import check_summary


class Tree(unittest.TestCase):
    """A folder with files, as the working directory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def write(self, **files):
        for name, text in files.items():
            path = name.replace('__', '/') + self.ending
            os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)


class Summary(Tree):
    ending = '.md'

    def setUp(self):
        super().setUp()
        self.write(docs__SUMMARY='[Top](../TOP.md) [A](a.md) [1](../adr/1.md)', TOP='', docs__a='# A', adr__1='')

    def test_pages_that_are_all_named_and_linked_are_right(self):
        self.write(TOP='[a](docs/a.md#a) [site](https://example.org) `[x](y.md)`\n```md\n[x](docs)\n```\n')
        self.assertEqual(check_summary.faults(), [])

    def test_a_page_that_is_not_named_and_links_to_it_are_reported(self):
        self.write(docs__b='', docs__a='[b](b.md#there)')
        self.assertEqual(check_summary.faults(), [
            'docs/SUMMARY.md does not name docs/b.md',
            'docs/a.md links to docs/b.md, which docs/SUMMARY.md does not name'])

    def test_a_link_to_a_folder_is_reported(self):
        self.write(TOP='[adr](adr) [adr](adr/#one)')
        self.assertEqual([line.partition(',')[0] for line in check_summary.faults()], ['TOP.md links to a folder'] * 2)

    def test_a_page_that_is_named_twice_or_is_missing_is_reported(self):
        self.write(docs__SUMMARY='[Top](../TOP.md) [A](a.md) [A](../docs/a.md) [1](../adr/1.md) [2](../adr/2.md)')
        self.assertEqual(check_summary.faults(), [
            'docs/SUMMARY.md names adr/2.md, which is not there', 'docs/SUMMARY.md names docs/a.md twice'])


class Site(Tree):
    ending = '.html'

    def wrong(self, link):
        self.write(index='<h1 id="top">T</h1>', a__index='<a name="old"></a><p id="é b">', a__b=f'<a href="{link}">x</a>')
        return check_site.faults(self.folder)[2]

    def test_links_to_pages_folders_places_and_other_sites_are_right(self):
        for link in ('../index.html', '../index.html#top', '../', '.', './#old', 'index.html#%C3%A9%20b', '#', '?x=1',
                     'https://example.org/nowhere', 'mailto:a@example.org', '//example.org/x'):
            with self.subTest(link):
                self.assertEqual(self.wrong(link), [])

    def test_broken_links_are_reported_with_their_page(self):
        for link, said in (('c.html', 'there is no a/c.html'), ('../index.html#bottom', 'index.html has no bottom'),
                           ('#top', 'a/b.html has no top'), ('../../x.html', 'leads out of the site'),
                           ('/index.html', 'begins at the top of the host'), ('../none/', 'there is no none')):
            with self.subTest(link):
                wrong = self.wrong(link)
                self.assertEqual(len(wrong), 1, wrong)
                self.assertTrue(wrong[0].startswith('a/b.html:1: ') and said in wrong[0], wrong)

    def test_the_source_of_a_picture_is_a_link(self):
        self.write(index='<img src="none.png">')
        self.assertEqual(check_site.faults(self.folder)[2], ['index.html:1: none.png: there is no none.png'])


if __name__ == '__main__':
    unittest.main()
