//! Pictures of small frames, and that they are XML.

use super::*;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

fn frame() -> Buffer {
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: 14, height: 4 });
    buffer.set_string(0, 0, "┌Grid <i> ───┐", Style::new().bold());
    buffer.set_string(0, 1, "│a & b│", Style::new());
    buffer.set_string(7, 1, "▀▀", Style::new().fg(Color::Rgb(68, 1, 84)).bg(Color::Rgb(253, 231, 37)));
    buffer.set_string(9, 1, "▒░", Style::new().fg(Color::Cyan));
    buffer.set_string(0, 2, "here", Style::new().reversed());
    buffer.set_string(5, 2, "dim ", Style::new().dim().underlined());
    buffer.set_string(0, 3, "宽 two  far", Style::new().fg(Color::Indexed(208)));
    buffer
}

#[test]
fn a_frame_on_both_papers() {
    insta::assert_snapshot!("dark", svg(&frame(), Paper::Dark, "a <frame>"));
    insta::assert_snapshot!("light", svg(&frame(), Paper::Light, "a <frame>"));
}

#[test]
fn every_element_is_closed_and_every_letter_is_there() {
    let picture = svg(&frame(), Paper::Dark, "t");
    let mut open = Vec::new();
    for part in picture.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name"));
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    for text in ["Grid &lt;i&gt;", "a &amp; b", "宽 two  far", ">here<"] {
        assert!(picture.contains(text), "{text} is missing in\n{picture}");
    }
}

#[test]
fn neighbours_of_one_colour_are_one_box() {
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: 50, height: 2 });
    buffer.set_style(buffer.area, Style::new().bg(Color::Red));
    let picture = svg(&buffer, Paper::Dark, "t");
    assert_eq!(picture.matches("M10 ").count(), 2);
    assert_eq!(picture.matches("h-450z").count(), 2, "{picture}");
}

#[test]
fn every_size_is_a_picture() {
    for (width, height) in [(0, 0), (1, 0), (0, 1), (1, 1), (200, 60)] {
        let buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
        assert!(svg(&buffer, Paper::Light, "t").ends_with("</svg>\n"));
    }
}
